import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { parseHeaders } from './headers.ts'
import { isLoopback } from './loopback.ts'
import type { Environment, Reader } from './reader.ts'

interface CommonSettings {
  /** The name in variables, metrics and the database, such as SIEM. */
  readonly name: string
  readonly url: string
  /** Where a new target starts. */
  readonly from: 'now' | 'beginning'
  /** How long events are collected before they are sent together. */
  readonly delayMs: number
  readonly tls: TlsSettings
}

/** Files in PEM format, in addition to the certificate authorities that Node trusts. */
export interface TlsSettings {
  readonly ca?: Buffer
  /** The certificate with which the service authenticates itself. */
  readonly cert?: Buffer
  readonly key?: Buffer
}

export interface OtlpSettings extends CommonSettings {
  readonly type: 'otlp'
  readonly headers: Readonly<Record<string, string>>
}

export interface S3Settings extends CommonSettings {
  readonly type: 's3'
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface SyslogSettings extends CommonSettings {
  readonly type: 'syslog'
}

/** A target that receives the audit log. */
export type AuditStream = OtlpSettings | S3Settings | SyslogSettings

const TYPES = ['otlp', 's3', 'syslog'] as const
const NAME = /^[A-Z][A-Z0-9_]{0,31}$/
const MAX_TARGETS = 10
const DEFAULT_DELAY_SECONDS = { otlp: 1, s3: 60, syslog: 1 }
const DEFAULT_REGION = 'us-east-1'

export const AUDIT_STREAM_VARIABLES: Record<string, string> = {
  AUDIT_STREAMS: 'targets that receive every audit event, such as SIEM,ARCHIVE (none)',
  'AUDIT_STREAM_<NAME>_TYPE': 'otlp, s3 or syslog',
  'AUDIT_STREAM_<NAME>_URL':
    'otlp: such as https://collector:4318/v1/logs; s3: bucket and folder, such as https://s3.eu-central-1.amazonaws.com/bucket/audit; syslog: such as tls://siem:6514',
  'AUDIT_STREAM_<NAME>_FROM': 'now or beginning: where a new target starts (now)',
  'AUDIT_STREAM_<NAME>_DELAY_SECONDS':
    'seconds for which events are collected before they are sent together, 0 to 3600 (1; s3: 60)',
  'AUDIT_STREAM_<NAME>_CA_FILE': 'certificate authority of the target, in PEM format (those of Node)',
  'AUDIT_STREAM_<NAME>_CERT_FILE': 'client certificate for the target, in PEM format (none)',
  'AUDIT_STREAM_<NAME>_KEY_FILE': 'key of the client certificate, in PEM format (none)',
  'AUDIT_STREAM_<NAME>_HEADERS': 'otlp: additional headers such as api-key=…, separated by commas (none)',
  'AUDIT_STREAM_<NAME>_HEADERS_FILE': 'otlp: file with these headers, instead of the variable',
  'AUDIT_STREAM_<NAME>_REGION': `s3: region of the bucket (${DEFAULT_REGION})`,
  'AUDIT_STREAM_<NAME>_ACCESS_KEY_ID': 's3: access key',
  'AUDIT_STREAM_<NAME>_SECRET_ACCESS_KEY': 's3: secret of the access key',
  'AUDIT_STREAM_<NAME>_SECRET_ACCESS_KEY_FILE': 's3: file with this secret, instead of the variable',
}

export function readAuditStreams(read: Reader): AuditStream[] {
  const names = (read.text('AUDIT_STREAMS') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  for (const [index, name] of names.entries()) {
    if (!NAME.test(name)) {
      read.problems.push(`AUDIT_STREAMS holds "${name}": a name is capitals, digits and _, at most 32.`)
    } else if (names.indexOf(name) !== index) {
      read.problems.push(`AUDIT_STREAMS holds ${name} twice.`)
    }
  }
  if (names.length > MAX_TARGETS) read.problems.push(`AUDIT_STREAMS may hold at most ${MAX_TARGETS} names.`)
  return [...new Set(names)].filter((name) => NAME.test(name)).flatMap((name) => readTarget(read, name) ?? [])
}

const toVariable = (name: string, part: string): string => `AUDIT_STREAM_${name}_${part}`

function readTarget(read: Reader, name: string): AuditStream | undefined {
  const variable = (part: string) => toVariable(name, part)
  const typeVariable = variable('TYPE')
  const type = read.oneOf(typeVariable, TYPES)
  if (!type) {
    if (read.text(typeVariable) === undefined) read.problems.push(missing(typeVariable, name))
    return undefined
  }
  const common = {
    name,
    url: readUrl(read, variable('URL'), { name, type }),
    from: read.oneOf(variable('FROM'), ['now', 'beginning']) ?? 'now',
    delayMs:
      1_000 * read.integer(variable('DELAY_SECONDS'), { fallback: DEFAULT_DELAY_SECONDS[type], min: 0, max: 3_600 }),
    tls: readTls(read, variable),
  } as const
  if (type === 'otlp') return { ...common, type, headers: readHeaders(read, variable('HEADERS')) }
  if (type === 'syslog') return { ...common, type }
  const required = (part: string, value: string | undefined) => {
    if (value === undefined) read.problems.push(missing(variable(part), name))
    return value ?? ''
  }
  return {
    ...common,
    type,
    region: read.text(variable('REGION')) ?? DEFAULT_REGION,
    accessKeyId: required('ACCESS_KEY_ID', read.text(variable('ACCESS_KEY_ID'))),
    secretAccessKey: required('SECRET_ACCESS_KEY', readSecret(read, variable('SECRET_ACCESS_KEY'))),
  }
}

const missing = (variable: string, name: string) => `${variable} is missing: AUDIT_STREAMS holds ${name}.`

const URL_RULES = {
  otlp: { schemes: ['https:', 'http:'], path: /^\/./, example: 'https://collector.example.com:4318/v1/logs' },
  // Only characters that are the same in every encoding of a path, because the path is signed.
  s3: { schemes: ['https:', 'http:'], path: /^[\w./-]*$/, example: 'https://s3.eu-central-1.amazonaws.com/bucket' },
  syslog: { schemes: ['tls:'], path: /^\/?$/, example: 'tls://siem.example.com:6514' },
}

/** The value may contain a password, so it is not printed. */
function readUrl(read: Reader, variable: string, { name, type }: Pick<AuditStream, 'name' | 'type'>): string {
  const value = read.text(variable)
  if (value === undefined) {
    read.problems.push(missing(variable, name))
    return ''
  }
  const { schemes, path, example } = URL_RULES[type]
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isValid =
    url &&
    schemes.includes(url.protocol) &&
    url.hostname !== '' &&
    path.test(url.pathname) &&
    !(url.username || url.password || url.search || url.hash)
  if (!isValid) {
    read.problems.push(
      `${variable} must be an address such as ${example}, without user, query and fragment, for the type ${type}.`,
    )
  }
  return value.replace(/\/+$/, '')
}

function readHeaders(read: Reader, variable: string): Record<string, string> {
  const headers = parseHeaders(readSecret(read, variable) ?? '')
  if (!headers) read.problems.push(`${variable} must be pairs such as name=value, separated by commas.`)
  return headers ?? {}
}

/** Reads a secret from the variable, or from the file that `<variable>_FILE` names. */
function readSecret(read: Reader, variable: string): string | undefined {
  const value = read.text(variable)
  const content = readFile(read, `${variable}_FILE`)?.toString('utf8').trim()
  if (value !== undefined && content !== undefined) {
    read.problems.push(`${variable} and ${variable}_FILE are both set: set only one of them.`)
  }
  return value ?? (content || undefined)
}

function readFile(read: Reader, variable: string): Buffer | undefined {
  const path = read.text(variable)
  if (path === undefined) return undefined
  try {
    return readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    read.problems.push(`${variable} is ${path}, which cannot be read (${code}): check the path and its permissions.`)
    return undefined
  }
}

function readTls(read: Reader, variable: (part: string) => string): TlsSettings {
  const ca = readFile(read, variable('CA_FILE'))
  const cert = readFile(read, variable('CERT_FILE'))
  const key = readFile(read, variable('KEY_FILE'))
  if (ca && !isCertificate(ca))
    read.problems.push(`${variable('CA_FILE')} must be a file with certificates in PEM format.`)
  const files = `${variable('CERT_FILE')} and ${variable('KEY_FILE')}`
  if ((cert === undefined) !== (key === undefined)) read.problems.push(`${files} must be set together.`)
  else if (cert && key && !isKeyPair(cert, key)) {
    read.problems.push(`${files} must be a certificate and its key, both in PEM format and without a passphrase.`)
  }
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
}

function isCertificate(pem: Buffer): boolean {
  try {
    return Boolean(new X509Certificate(pem))
  } catch {
    return false
  }
}

function isKeyPair(cert: Buffer, key: Buffer): boolean {
  try {
    return Boolean(createSecureContext({ cert, key }))
  } catch {
    return false
  }
}

const SUFFIXES = Object.keys(AUDIT_STREAM_VARIABLES).flatMap((name) => name.split('<NAME>_')[1] ?? [])

/** Warns about variables without effect, and about targets that are reached without encryption. */
export function findAuditStreamWarnings(env: Environment, streams: readonly AuditStream[]): string[] {
  const known = new Set(streams.flatMap(({ name }) => SUFFIXES.map((suffix) => toVariable(name, suffix))))
  const unused = Object.keys(env).filter((name) => name.startsWith('AUDIT_STREAM_') && !known.has(name))
  const plain = streams.filter(({ url }) => isPlainHttp(url))
  return [
    ...unused.map((name) => `${name} is set, but no target in AUDIT_STREAMS uses it.`),
    ...plain.map(({ name }) => `${toVariable(name, 'URL')} starts with http://: audit events are sent unencrypted.`),
  ]
}

const isPlainHttp = (url: string): boolean =>
  URL.canParse(url) && new URL(url).protocol === 'http:' && !isLoopback(new URL(url).hostname)
