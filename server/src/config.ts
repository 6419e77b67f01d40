import { resolve } from 'node:path'
import {
  AUDIT_STREAM_VARIABLES,
  type AuditStream,
  findAuditStreamWarnings,
  readAuditStreams,
} from './config/audit-streams.ts'
import { CLIENT_DOCUMENT_VARIABLES, type ClientDocumentConfig, readClientDocuments } from './config/client-documents.ts'
import {
  CLIENT_REGISTRATION_VARIABLES,
  type ClientRegistrationPolicy,
  readClientRegistration,
} from './config/client-registration.ts'
import { DPOP_VARIABLES, readDpopNonce } from './config/dpop.ts'
import { readEncryptionKeys } from './config/encryption-keys.ts'
import { LIFETIME_VARIABLES, type Lifetimes, readLifetimes } from './config/lifetimes.ts'
import { isLoopback } from './config/loopback.ts'
import { readSender } from './config/mail.ts'
import {
  findTracingWarnings,
  MONITORING_VARIABLES,
  readMetricsToken,
  readTracing,
  type Tracing,
} from './config/monitoring.ts'
import { readNetworks } from './config/networks.ts'
import { createReader, type Environment, type Reader } from './config/reader.ts'
import { findSsoWarnings, readSso, SSO_VARIABLES, type SsoProvider } from './config/sso.ts'
import { readSuperAdminMfa, readSupportAccess, SUPER_ADMIN_VARIABLES } from './config/super-admins.ts'
import { OperatorError } from './errors.ts'
import { findHostProblem } from './lib/database-address.ts'
import { MIN_HASH_MEMORY_MIB } from './lib/hash-settings.ts'

/** How the program was started: `demo` seeds demo data, `serve` is for production and stricter. */
export type Mode = 'demo' | 'serve'

export interface Config {
  readonly mode: Mode
  readonly host: string
  readonly port: number
  /** The number of worker processes that share the port. */
  readonly workers: number
  /** The public origin without a trailing slash. It is the issuer and the base of every link. */
  readonly baseUrl: string
  readonly dataDir: string
  readonly database: DatabaseConfig
  readonly mail: MailConfig
  /** Keys that encrypt secrets at rest, newest first. If empty, the demo keeps a key in the data folder. */
  readonly encryptionKeys: readonly Buffer[]
  readonly logLevel: string
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[]
  /** How long readiness fails before connections close, so that a load balancer can remove this node. */
  readonly drainDelayMs: number
  /** A MaxMind database file. */
  readonly geoipDatabase: string | undefined
  readonly lifetimes: Lifetimes
  /** Whether DPoP proofs must have a nonce of the service. */
  readonly dpopNonce: 'REQUIRED' | 'OPTIONAL'
  /** Whether clients may register themselves: not at all, with a registration token, or without one. */
  readonly clientRegistration: ClientRegistrationPolicy
  /** The maximum age of the active signing key. */
  readonly keyRotationDays: number
  /** The retention period of the audit log; 0: unlimited. */
  readonly auditRetentionDays: number
  /** The targets that receive the audit log. */
  readonly auditStreams: readonly AuditStream[]
  /** The memory for one password hash. */
  readonly passwordHashMemoryMib: number
  /** Configurable rate limits; fixed ones are next to their code. */
  readonly limits: Limits
  /** Whether Super Admins need a second factor for their privileges. */
  readonly superAdminMfa: 'REQUIRED' | 'OPTIONAL'
  /** Whether Super Admins may act as members of tenants that allow it. */
  readonly supportAccess: boolean
  /** SSO providers in display order. */
  readonly sso: readonly SsoProvider[]
  readonly webhooks: WebhookConfig
  /** For documents and keys of clients that no administrator registered. Only tests allow private networks here. */
  readonly outsideClients: WebhookConfig
  readonly clientDocuments: ClientDocumentConfig
  /** The bearer token for /metrics; undefined: no authentication. */
  readonly metricsToken: string | undefined
  /** The trace exporter; undefined: disabled. */
  readonly tracing: Tracing | undefined
  /** Settings that are probably mistakes. */
  readonly warnings: readonly string[]
}

/** The number of failures before requests are rate limited. */
export interface Limits {
  /** Wrong passwords for one account from one address in 15 minutes. */
  readonly signInFailures: number
  /** Wrong passwords or codes of one signed-in user in 15 minutes. */
  readonly confirmFailures: number
  /** Wrong secrets for one client from one address in a minute. */
  readonly clientFailures: number
}

export interface DatabaseConfig {
  /** Undefined: the bundled PostgreSQL in the data folder. */
  readonly url: string | undefined
  /** For session features (LISTEN, advisory locks) when `url` is a transaction pooler. */
  readonly directUrl: string | undefined
  readonly poolSize: number
}

export interface MailConfig {
  readonly smtpUrl: string | undefined
  /** Mail is shown on a page instead of being sent. */
  readonly mailbox: boolean
  readonly from: string
}

export interface WebhookConfig {
  /** Private addresses or CIDR ranges that webhooks may use, also without TLS. */
  readonly allowedNetworks: readonly string[]
}

export interface ConfigResult {
  config: Config
  problems: string[]
}

const POSTGRES = ['postgres://', 'postgresql://']
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Every variable of the service, with its description in `latchkey doctor` and the docs. */
export const VARIABLES: Record<string, string> = {
  PORT: 'port to listen on (3000)',
  WORKERS: 'worker processes on that port, 1 to 64; each has its own DATABASE_POOL_SIZE (1)',
  HOST: 'address to listen on (localhost in the demo, 0.0.0.0 with serve)',
  BASE_URL: 'public address, used for every link and as the issuer (http://localhost:$PORT)',
  LATCHKEY_DATA_DIR: 'folder of the bundled database and the demo key (./.latchkey)',
  DATABASE_URL:
    'postgres:// address of a PostgreSQL 15 or later, or of several (host:port,host:port) of which one takes writes; without it the bundled one runs',
  DATABASE_DIRECT_URL: 'the same database without a transaction pooler, when DATABASE_URL uses one',
  DATABASE_POOL_SIZE: 'connections for requests, of each process (10)',
  SMTP_URL: 'smtp:// or smtps:// address of the mail server; without it the demo shows /dev/mailbox',
  MAIL_FROM: 'sender of all mail (Latchkey <no-reply@host of BASE_URL>)',
  LATCHKEY_ENCRYPTION_KEY: '32 bytes in base64 or hex; several, newest first, separated by commas',
  LOG_LEVEL: `${LOG_LEVELS.join(', ')} (info)`,
  TRUSTED_PROXIES: 'addresses or CIDR ranges whose X-Forwarded-For is trusted, separated by commas (none)',
  PASSWORD_HASH_MEMORY_MIB:
    'memory in MiB for each password hash, 19 to 128; more makes stolen hashes harder to guess and sign-in slower (19)',
  SIGN_IN_FAILURES: 'wrong passwords for one account from one address in 15 minutes before 429 (100)',
  CONFIRM_FAILURES: 'wrong codes or current passwords of one user in 15 minutes before 429 (20)',
  CLIENT_FAILURES: 'wrong secrets for one client from one address in a minute before 429 (300)',
  ...SUPER_ADMIN_VARIABLES,
  KEY_ROTATION_DAYS: 'days after which a new key signs the tokens (90)',
  AUDIT_RETENTION_DAYS: 'days after which audit log entries are deleted; 0 keeps them forever (0)',
  GEOIP_DATABASE: 'MaxMind file of cities or countries (.mmdb); without it the location of a session is Unknown',
  DRAIN_DELAY_MS:
    'milliseconds for which readiness fails before a stopping service closes its port (500, at most 4000)',
  WEBHOOK_ALLOWED_NETWORKS:
    'private addresses or CIDR ranges that webhooks, and the key sets and logout addresses of clients of administrators may use, also over http (none)',
  ...AUDIT_STREAM_VARIABLES,
  ...MONITORING_VARIABLES,
  ...LIFETIME_VARIABLES,
  ...DPOP_VARIABLES,
  ...CLIENT_REGISTRATION_VARIABLES,
  ...CLIENT_DOCUMENT_VARIABLES,
  ...SSO_VARIABLES,
}

/** Reads the environment and collects all problems, so that they can be fixed together. */
export function readConfig(mode: Mode, env: Environment): ConfigResult {
  const read = createReader(env)
  const { problems } = read
  const port = read.integer('PORT', { fallback: 3000, min: 1, max: 65535 })
  const baseUrl = readBaseUrl(read, port)
  const encryptionKeys = readEncryptionKeys(read)
  const smtpUrl = read.address('SMTP_URL', ['smtp://', 'smtps://'])
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : 'localhost'
  const sso = readSso(read)
  const auditStreams = readAuditStreams(read)
  const config: Config = {
    mode,
    host: read.text('HOST') ?? (mode === 'demo' ? 'localhost' : '0.0.0.0'),
    port,
    workers: read.integer('WORKERS', { fallback: 1, min: 1, max: 64 }),
    baseUrl,
    dataDir: resolve(read.text('LATCHKEY_DATA_DIR') ?? '.latchkey'),
    database: {
      url: read.address('DATABASE_URL', POSTGRES),
      directUrl: read.address('DATABASE_DIRECT_URL', POSTGRES),
      poolSize: read.integer('DATABASE_POOL_SIZE', { fallback: 10, min: 1, max: 1000 }),
    },
    mail: {
      smtpUrl,
      mailbox: mode === 'demo' && smtpUrl === undefined,
      from: readSender(read) ?? `Latchkey <no-reply@${host}>`,
    },
    encryptionKeys,
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS) ?? 'info',
    trustedProxies: readNetworks(read, 'TRUSTED_PROXIES'),
    drainDelayMs: read.integer('DRAIN_DELAY_MS', { fallback: 500, min: 0, max: 4_000 }),
    geoipDatabase: read.text('GEOIP_DATABASE'),
    lifetimes: readLifetimes(read),
    dpopNonce: readDpopNonce(read),
    clientRegistration: readClientRegistration(read),
    clientDocuments: readClientDocuments(read),
    keyRotationDays: read.integer('KEY_ROTATION_DAYS', { fallback: 90, min: 1, max: 3_650 }),
    auditRetentionDays: read.integer('AUDIT_RETENTION_DAYS', { fallback: 0, min: 0, max: 36_500 }),
    auditStreams,
    passwordHashMemoryMib: read.integer('PASSWORD_HASH_MEMORY_MIB', {
      fallback: MIN_HASH_MEMORY_MIB,
      min: mode === 'demo' ? 1 : MIN_HASH_MEMORY_MIB,
      max: 128,
    }),
    limits: {
      signInFailures: read.integer('SIGN_IN_FAILURES', { fallback: 100, min: 3, max: 100_000 }),
      confirmFailures: read.integer('CONFIRM_FAILURES', { fallback: 20, min: 3, max: 1_000 }),
      clientFailures: read.integer('CLIENT_FAILURES', { fallback: 300, min: 3, max: 1_000_000 }),
    },
    supportAccess: readSupportAccess(read),
    superAdminMfa: readSuperAdminMfa(read, mode === 'demo'),
    sso,
    webhooks: { allowedNetworks: readNetworks(read, 'WEBHOOK_ALLOWED_NETWORKS') },
    outsideClients: { allowedNetworks: [] },
    metricsToken: readMetricsToken(read),
    tracing: readTracing(read),
    warnings: [
      ...findWarnings(mode, env),
      ...findSsoWarnings(env, sso),
      ...findTracingWarnings(env),
      ...findAuditStreamWarnings(env, auditStreams),
    ],
  }
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL']) {
    const problem = findHostProblem(read.text(name) ?? '')
    if (problem) problems.push(`${name} ${problem}`)
  }
  if (config.database.directUrl && !config.database.url) {
    problems.push('DATABASE_DIRECT_URL is set, but DATABASE_URL is not.')
  }
  if (mode === 'serve') problems.push(...findProductionProblems(config))
  return { config: deepFreeze(config), problems }
}

function findWarnings(mode: Mode, env: Environment): string[] {
  const unknown = Object.keys(env).filter((name) => name.startsWith('LATCHKEY_') && !(name in VARIABLES))
  return [
    ...unknown.map((name) => `${name} is set, but Latchkey knows no such variable.`),
    ...(mode === 'serve' && !env.SMTP_URL ? ['SMTP_URL is not set: mail waits in the queue until it is.'] : []),
  ]
}

/** Returns the configuration, or throws one error that lists all problems. */
export function loadConfig(mode: Mode, env: Environment): Config {
  const { config, problems } = readConfig(mode, env)
  if (problems.length > 0) {
    throw new OperatorError(['The configuration is not valid:', ...problems.map((text) => `  - ${text}`)].join('\n'))
  }
  return config
}

/** For a command. An encryption key means production; without one it uses the demo, whose key is in the data folder. */
export const loadCommandConfig = (env: Environment): Config =>
  loadConfig(env.LATCHKEY_ENCRYPTION_KEY ? 'serve' : 'demo', env)

/** The only place that reads the environment of the process. */
export const processEnvironment = (): Environment => process.env

function findProductionProblems({ baseUrl, encryptionKeys }: Config): string[] {
  const problems: string[] = []
  if (encryptionKeys.length === 0) {
    problems.push('LATCHKEY_ENCRYPTION_KEY is missing. Make one with: openssl rand -base64 32')
  }
  if (URL.canParse(baseUrl)) {
    const { protocol, hostname } = new URL(baseUrl)
    if (protocol === 'http:' && !isLoopback(hostname)) {
      problems.push(`BASE_URL is ${baseUrl}: beyond localhost it must start with https://.`)
    }
  }
  return problems
}

function readBaseUrl(read: Reader, port: number): string {
  const value = read.text('BASE_URL')
  if (value === undefined) return `http://localhost:${port}`
  const bare = value.replace(/\/+$/, '')
  const isOrigin =
    URL.canParse(bare) &&
    ['http:', 'https:'].includes(new URL(bare).protocol) &&
    new URL(bare).origin.toLowerCase() === bare.toLowerCase()
  if (!isOrigin) {
    read.problems.push(`BASE_URL is "${value}": it must be an http(s) origin such as https://id.example.com.`)
  }
  return isOrigin ? new URL(bare).origin : bare
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null && !Buffer.isBuffer(member)) deepFreeze(member)
  }
  return Object.freeze(value)
}
