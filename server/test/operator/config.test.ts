import { expect, test } from 'vitest'
import { loadConfig, readConfig } from '../../src/config.ts'
import { parseTraceParent } from '../../src/lib/tracing/trace-parent.ts'
import { runCommandHere } from '../support/command.ts'
import { createDatabase } from '../support/database.ts'

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT'

test('tracing is disabled without a collector, independent of other settings', () => {
  expect(loadConfig('demo', {}).tracing).toBeUndefined()
  expect(loadConfig('demo', { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER_ARG: '0.5' }).tracing).toBeUndefined()
})

test.each([
  ['http://collector:4318', 'http://collector:4318/v1/traces'],
  ['https://collector.test/otlp/', 'https://collector.test/otlp/v1/traces'],
])('a collector at %s receives spans at %s', (given, endpoint) => {
  const env = { [ENDPOINT]: given, OTEL_EXPORTER_OTLP_HEADERS: 'a=b, authorization=Basic%20eA%3D%3D,' }
  expect(loadConfig('demo', env).tracing).toEqual({
    endpoint,
    serviceName: 'latchkey',
    ratio: 1,
    headers: { a: 'b', authorization: 'Basic eA==' },
  })
})

test.each([
  [ENDPOINT, 'collector:4318'],
  [ENDPOINT, 'http://'],
  [ENDPOINT, 'http://collector?x=s3cret'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 's3cret'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=s3cret%zz'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=s3cret%0d%0ab'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
  ['OTEL_TRACES_SAMPLER_ARG', '-1'],
  ['OTEL_TRACES_SAMPLER_ARG', 'all'],
  ['METRICS_TOKEN', 's3cret'],
  ['METRICS_TOKEN', 's3cret with spaces in it'],
])('%s=%s is refused, and the message contains no secret', (name, value) => {
  const { problems } = readConfig('demo', { [name]: value })
  expect(problems).toEqual([expect.stringContaining(name)])
  expect(problems[0]).not.toContain('s3cret')
})

test('hosts of client documents may have a port', () => {
  const read = (hosts: string) => readConfig('demo', { CLIENT_DOCUMENTS_ALLOWED_HOSTS: hosts })
  const { problems, config } = read('App.example.com:8443, *.example.org:8443,*.example.net')
  expect(problems).toEqual([])
  const allowedHosts = ['app.example.com:8443', '*.example.org:8443', '*.example.net']
  expect(config.clientDocuments.allowedHosts).toEqual(allowedHosts)
  for (const hosts of ['app.example.com:', ':8443', 'app.example.com:https', 'https://app.example.com']) {
    expect(read(hosts).problems).toEqual([expect.stringContaining('CLIENT_DOCUMENTS_ALLOWED_HOSTS')])
  }
})

test('the grpc protocol causes a warning', () => {
  const { warnings } = loadConfig('demo', {
    [ENDPOINT]: 'http://c:4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  })
  expect(warnings).toEqual([expect.stringContaining('OTEL_EXPORTER_OTLP_PROTOCOL')])
})

test('latchkey doctor lists the variables without secrets', async () => {
  const database = await createDatabase()
  const env = {
    DATABASE_URL: database.url,
    METRICS_TOKEN: 's3cret-s3cret-s3cret',
    [ENDPOINT]: 'http://u:s3cret@collector:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s3cret',
  }
  const { code, output } = await runCommandHere(['doctor', '--demo'], env)
  expect(code).toBe(0)
  expect(output).toMatch(/METRICS_TOKEN +\(set\)/)
  expect(output).toMatch(/OTEL_EXPORTER_OTLP_HEADERS +\(set\)/)
  expect(output).toMatch(/OTEL_EXPORTER_OTLP_ENDPOINT +http:\/\/u:\*\*\*@collector:4318/)
  expect(output).toMatch(/OTEL_TRACES_SAMPLER_ARG +not set/)
  expect(output).not.toContain('s3cret')
  await database.close()
})

const [TRACE, SPAN] = ['1'.repeat(32), '2'.repeat(16)]

test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  [`00-${TRACE}-${SPAN}-03`, true],
  [`cc-${TRACE}-${SPAN}-01-what-comes-later`, true],
])('the header %s is valid, sampled: %s', (header, sampled) => {
  expect(parseTraceParent(header)).toEqual({ traceId: TRACE, spanId: SPAN, sampled })
})

test.each([
  undefined,
  '',
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${'A'.repeat(32)}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`,
])('the header %s is invalid', (header) => {
  expect(parseTraceParent(header)).toBeUndefined()
})
