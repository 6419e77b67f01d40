import { isLoopback } from './loopback.ts'
import type { Environment, Reader } from './reader.ts'

/** An SSO provider (OpenID Connect). */
export interface SsoProvider {
  /** The name in variables and in the API, such as GOOGLE. */
  readonly name: string
  /** The display name, such as Google. */
  readonly label: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: string
  /** The operator guarantees that the email addresses of this issuer are verified. */
  readonly trustEmail: boolean
  /** The operator guarantees that this issuer reauthenticates users on request, although it sends no auth_time. */
  readonly trustReauthentication: boolean
}

/** The path that starts a sign-in with the provider. */
export const ssoPath = ({ name }: Pick<SsoProvider, 'name'>): string => `/sso/${name.toLowerCase()}`

/** The sign-in service of Microsoft for all organizations and personal accounts. */
export const MICROSOFT_LOGIN_URL = 'https://login.microsoftonline.com'
/** The format of a Microsoft tenant id. */
export const MICROSOFT_TENANT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MICROSOFT_ISSUER = new RegExp(`^${MICROSOFT_LOGIN_URL}/([^/]+)/v2\\.0$`)

/** The accounts that a Microsoft issuer accepts: all, any organization, personal accounts, or one tenant. */
export type MicrosoftAudience = 'common' | 'organizations' | 'consumers' | { tenantId: string }

/** Returns undefined for other issuers. */
export function parseMicrosoftAudience(issuer: string): MicrosoftAudience | undefined {
  const tenant = MICROSOFT_ISSUER.exec(issuer)?.[1]
  if (tenant === 'common' || tenant === 'organizations' || tenant === 'consumers') return tenant
  return tenant !== undefined && MICROSOFT_TENANT_ID.test(tenant) ? { tenantId: tenant } : undefined
}

/** Does not support reauthentication. */
export const GOOGLE_ISSUER = 'https://accounts.google.com'
const NAME = /^[A-Z][A-Z0-9_]{0,31}$/
const DEFAULTS: Record<string, { label: string; issuer: string }> = {
  GOOGLE: { label: 'Google', issuer: GOOGLE_ISSUER },
  MICROSOFT: { label: 'Microsoft', issuer: `${MICROSOFT_LOGIN_URL}/common/v2.0` },
}
const SCOPES = 'openid profile email'
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/
const MAX_LABEL_LENGTH = 40

/** Descriptions for the docs. */
export const SSO_VARIABLES: Record<string, string> = {
  SSO_PROVIDERS: 'SSO providers, such as GOOGLE,MICROSOFT,OKTA (none)',
  'SSO_<NAME>_CLIENT_ID': 'client id at the provider of this name',
  'SSO_<NAME>_CLIENT_SECRET': 'client secret at the provider',
  'SSO_<NAME>_ISSUER': 'OpenID Connect issuer (default for GOOGLE and MICROSOFT)',
  'SSO_<NAME>_LABEL': 'display name (Google, Microsoft, else the name)',
  'SSO_<NAME>_SCOPES': `scopes to ask for (${SCOPES})`,
  'SSO_<NAME>_TRUST_EMAIL':
    'true: you guarantee that its email addresses are verified, even without email_verified (false)',
  'SSO_<NAME>_TRUST_REAUTHENTICATION':
    'true: you guarantee that it reauthenticates users on request, although it sends no auth_time (false)',
  SSO_MICROSOFT_TENANT: 'common, organizations, consumers or the id of one tenant (common)',
}

/** The providers in display order. */
export function readSso(read: Reader): SsoProvider[] {
  const names = (read.text('SSO_PROVIDERS') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  for (const [index, name] of names.entries()) {
    if (!NAME.test(name)) {
      read.problems.push(`SSO_PROVIDERS holds "${name}": a name is capitals, digits and _, at most 32.`)
    } else if (names.indexOf(name) !== index) {
      read.problems.push(`SSO_PROVIDERS holds ${name} twice.`)
    }
  }
  return [...new Set(names)].filter((name) => NAME.test(name)).map((name) => readProvider(read, name))
}

function readProvider(read: Reader, name: string): SsoProvider {
  const variableName = (part: string) => `SSO_${name}_${part}`
  const required = (part: string) => {
    const value = read.text(variableName(part))
    if (value === undefined) read.problems.push(`${variableName(part)} is missing: SSO_PROVIDERS holds ${name}.`)
    return value ?? ''
  }
  const issuer = readIssuer(read, name)
  const trustEmail = read.oneOf(variableName('TRUST_EMAIL'), ['true', 'false']) === 'true'
  // Anybody can create a Microsoft tenant with arbitrary email addresses.
  if (trustEmail && typeof parseMicrosoftAudience(issuer) === 'string') {
    read.problems.push(`${variableName('TRUST_EMAIL')} is true: for Microsoft that needs the id of one tenant.`)
  }
  const trustReauthentication = read.oneOf(variableName('TRUST_REAUTHENTICATION'), ['true', 'false']) === 'true'
  if (trustReauthentication && issuer === GOOGLE_ISSUER) {
    read.problems.push(`${variableName('TRUST_REAUTHENTICATION')} is true: Google does not support reauthentication.`)
  }
  return {
    name,
    label: readLabel(read, name),
    issuer,
    clientId: required('CLIENT_ID'),
    clientSecret: required('CLIENT_SECRET'),
    scopes: readScopes(read, variableName('SCOPES')),
    trustEmail,
    trustReauthentication,
  }
}

function readIssuer(read: Reader, name: string): string {
  const variable = `SSO_${name}_ISSUER`
  const configured = read.text(variable)
  const tenant = name === 'MICROSOFT' ? read.text('SSO_MICROSOFT_TENANT')?.toLowerCase() : undefined
  if (configured !== undefined && tenant !== undefined) {
    read.problems.push(`${variable} and SSO_MICROSOFT_TENANT are both set: set only one of them.`)
  }
  const issuer = configured ?? (tenant ? `${MICROSOFT_LOGIN_URL}/${tenant}/v2.0` : DEFAULTS[name]?.issuer)
  if (issuer === undefined) {
    read.problems.push(`${variable} is missing: SSO_PROVIDERS holds ${name}.`)
    return ''
  }
  const canonical = normalizeIssuer(issuer)
  const problem = findIssuerProblem(canonical)
  if (problem) read.problems.push(`${configured === undefined ? 'SSO_MICROSOFT_TENANT' : variable} ${problem}.`)
  return canonical
}

/** Normalizes an issuer, so that a different spelling cannot bypass the rules for a known issuer. */
function normalizeIssuer(issuer: string): string {
  if (!URL.canParse(issuer)) return issuer
  const { href } = new URL(issuer)
  return issuer.endsWith('/') ? href : href.replace(/\/$/, '')
}

/** Returns why this is not a valid issuer. The value may contain a password, so it is not printed. */
function findIssuerProblem(issuer: string): string | undefined {
  if (!URL.canParse(issuer)) return 'must be an https:// address'
  const { protocol, hostname, username, password, search, hash } = new URL(issuer)
  const safe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  if (!safe) return 'must start with https:// beyond localhost'
  if (username || password || search || hash) return 'must be an address without user, query and fragment'
  if (issuer.startsWith(`${MICROSOFT_LOGIN_URL}/`) && parseMicrosoftAudience(issuer) === undefined) {
    return 'must name common, organizations, consumers or the id of a tenant, in version v2.0'
  }
  return undefined
}

function readLabel(read: Reader, name: string): string {
  const variable = `SSO_${name}_LABEL`
  const label = read.text(variable)
  if (label !== undefined && label.length > MAX_LABEL_LENGTH) {
    read.problems.push(`${variable} must have at most ${MAX_LABEL_LENGTH} characters.`)
  }
  return label ?? DEFAULTS[name]?.label ?? name
}

function readScopes(read: Reader, variable: string): string {
  const scopes = (read.text(variable) ?? SCOPES).split(/\s+/)
  if (!scopes.includes('openid') || !scopes.every((scope) => SCOPE.test(scope))) {
    read.problems.push(`${variable} must be scopes with spaces between, and openid among them.`)
  }
  return scopes.join(' ')
}

/** Warns about variables of providers that are not listed in SSO_PROVIDERS. */
export function findSsoWarnings(env: Environment, providers: readonly SsoProvider[]): string[] {
  const names = providers.map(({ name }) => name)
  return Object.keys(env)
    .map((variable) => /^SSO_(.+)_(?:CLIENT_ID|CLIENT_SECRET|ISSUER)$/.exec(variable))
    .filter((match) => match !== null)
    .filter(([, name = '']) => !names.includes(name))
    .map(([variable, name]) => `${variable} is set, but SSO_PROVIDERS does not hold ${name}.`)
}
