import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig, readConfig } from '../../../src/config.ts'

const OTLP = {
  AUDIT_STREAMS: 'SIEM',
  AUDIT_STREAM_SIEM_TYPE: 'otlp',
  AUDIT_STREAM_SIEM_URL: 'https://collector.example.com:4318/v1/logs',
}
const S3 = {
  AUDIT_STREAMS: 'SIEM',
  AUDIT_STREAM_SIEM_TYPE: 's3',
  AUDIT_STREAM_SIEM_URL: 'https://s3.eu-central-1.amazonaws.com/bucket/audit/',
  AUDIT_STREAM_SIEM_ACCESS_KEY_ID: 'AKID',
  AUDIT_STREAM_SIEM_SECRET_ACCESS_KEY: 's3cret',
}
const SYSLOG = {
  AUDIT_STREAMS: 'SIEM',
  AUDIT_STREAM_SIEM_TYPE: 'syslog',
  AUDIT_STREAM_SIEM_URL: 'tls://siem.example.com:6514',
}

function writeTemp(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'latchkey-config-')), 'file')
  writeFileSync(file, text)
  return file
}

test('there are no targets by default', () => {
  expect(loadConfig('serve', { LATCHKEY_ENCRYPTION_KEY: 'a'.repeat(64) }).auditStreams).toEqual([])
})

test('several targets have settings of their own', () => {
  const { auditStreams, warnings } = loadConfig('demo', {
    ...OTLP,
    AUDIT_STREAMS: 'SIEM, ARCHIVE',
    AUDIT_STREAM_SIEM_HEADERS: 'authorization=Bearer%20s3cret',
    AUDIT_STREAM_ARCHIVE_TYPE: 's3',
    AUDIT_STREAM_ARCHIVE_URL: 'https://s3.example.com/bucket/audit/',
    AUDIT_STREAM_ARCHIVE_FROM: 'beginning',
    AUDIT_STREAM_ARCHIVE_DELAY_SECONDS: '300',
    AUDIT_STREAM_ARCHIVE_ACCESS_KEY_ID: 'AKID',
    AUDIT_STREAM_ARCHIVE_SECRET_ACCESS_KEY_FILE: writeTemp('s3cret\n'),
  })
  expect(auditStreams).toEqual([
    {
      type: 'otlp',
      name: 'SIEM',
      url: 'https://collector.example.com:4318/v1/logs',
      from: 'now',
      delayMs: 1_000,
      tls: {},
      headers: { authorization: 'Bearer s3cret' },
    },
    {
      type: 's3',
      name: 'ARCHIVE',
      url: 'https://s3.example.com/bucket/audit',
      from: 'beginning',
      delayMs: 300_000,
      tls: {},
      region: 'us-east-1',
      accessKeyId: 'AKID',
      secretAccessKey: 's3cret',
    },
  ])
  expect(warnings).toEqual([])
})

test.each([
  ['AUDIT_STREAMS', OTLP, { AUDIT_STREAMS: 'siem' }],
  ['AUDIT_STREAMS', OTLP, { AUDIT_STREAMS: 'SIEM,SIEM' }],
  ['AUDIT_STREAM_SIEM_TYPE', OTLP, { AUDIT_STREAM_SIEM_TYPE: '' }],
  ['AUDIT_STREAM_SIEM_TYPE', OTLP, { AUDIT_STREAM_SIEM_TYPE: 'kafka' }],
  ['AUDIT_STREAM_SIEM_URL', OTLP, { AUDIT_STREAM_SIEM_URL: '' }],
  ['AUDIT_STREAM_SIEM_URL', OTLP, { AUDIT_STREAM_SIEM_URL: 'collector:4318' }],
  ['AUDIT_STREAM_SIEM_URL', OTLP, { AUDIT_STREAM_SIEM_URL: 'http://' }],
  ['AUDIT_STREAM_SIEM_URL', OTLP, { AUDIT_STREAM_SIEM_URL: 'https://collector.example.com' }],
  ['AUDIT_STREAM_SIEM_URL', OTLP, { AUDIT_STREAM_SIEM_URL: 'https://user:s3cret@collector.example.com/v1/logs' }],
  ['AUDIT_STREAM_SIEM_URL', OTLP, { AUDIT_STREAM_SIEM_URL: 'https://collector.example.com/v1/logs?key=s3cret' }],
  ['AUDIT_STREAM_SIEM_URL', S3, { AUDIT_STREAM_SIEM_URL: 's3://bucket' }],
  ['AUDIT_STREAM_SIEM_URL', S3, { AUDIT_STREAM_SIEM_URL: 'https://s3.example.com/bucket/a b' }],
  ['AUDIT_STREAM_SIEM_URL', SYSLOG, { AUDIT_STREAM_SIEM_URL: 'https://siem.example.com:6514' }],
  ['AUDIT_STREAM_SIEM_URL', SYSLOG, { AUDIT_STREAM_SIEM_URL: 'tls://siem.example.com/path' }],
  ['AUDIT_STREAM_SIEM_HEADERS', OTLP, { AUDIT_STREAM_SIEM_HEADERS: 's3cret' }],
  ['AUDIT_STREAM_SIEM_HEADERS', OTLP, { AUDIT_STREAM_SIEM_HEADERS: 'a=s3cret%0d%0ab' }],
  ['AUDIT_STREAM_SIEM_FROM', OTLP, { AUDIT_STREAM_SIEM_FROM: 'yesterday' }],
  ['AUDIT_STREAM_SIEM_DELAY_SECONDS', OTLP, { AUDIT_STREAM_SIEM_DELAY_SECONDS: '3601' }],
  ['AUDIT_STREAM_SIEM_ACCESS_KEY_ID', S3, { AUDIT_STREAM_SIEM_ACCESS_KEY_ID: '' }],
  ['AUDIT_STREAM_SIEM_SECRET_ACCESS_KEY', S3, { AUDIT_STREAM_SIEM_SECRET_ACCESS_KEY: '' }],
  ['SECRET_ACCESS_KEY_FILE', S3, { AUDIT_STREAM_SIEM_SECRET_ACCESS_KEY_FILE: writeTemp('s3cret') }],
  ['SECRET_ACCESS_KEY_FILE', S3, { AUDIT_STREAM_SIEM_SECRET_ACCESS_KEY_FILE: '/nowhere/at/all' }],
  ['AUDIT_STREAM_SIEM_CA_FILE', SYSLOG, { AUDIT_STREAM_SIEM_CA_FILE: '/nowhere/at/all' }],
  ['AUDIT_STREAM_SIEM_CA_FILE', SYSLOG, { AUDIT_STREAM_SIEM_CA_FILE: writeTemp('not a certificate') }],
  ['AUDIT_STREAM_SIEM_CERT_FILE', SYSLOG, { AUDIT_STREAM_SIEM_CERT_FILE: writeTemp('x') }],
])('a wrong %s is refused with one sentence that contains no secret', (variable, env, changes) => {
  const { problems } = readConfig('demo', { ...env, ...changes })
  expect(problems).toEqual([expect.stringContaining(variable)])
  expect(problems[0]).not.toContain('s3cret')
})

test('variables without effect and unencrypted connections cause a warning', () => {
  const { warnings } = loadConfig('demo', {
    ...OTLP,
    AUDIT_STREAM_SIEM_URL: 'http://collector:4318/v1/logs',
    AUDIT_STREAM_SIEM_BUCKET: 'x',
    AUDIT_STREAM_OTHER_URL: 'https://other.example',
  })
  expect(warnings).toEqual([
    expect.stringContaining('AUDIT_STREAM_SIEM_BUCKET is set, but'),
    expect.stringContaining('AUDIT_STREAM_OTHER_URL is set, but'),
    expect.stringContaining('AUDIT_STREAM_SIEM_URL starts with http://'),
  ])
  const local = { ...OTLP, AUDIT_STREAM_SIEM_URL: 'http://localhost:4318/v1/logs' }
  expect(loadConfig('demo', local).warnings).toEqual([])
})
