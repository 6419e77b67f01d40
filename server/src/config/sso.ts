import { isLoopback } from './loopback.ts'
import type { Environment, Reader } from './reader.ts'

/** An outside provider through which people may sign in. */
export interface SsoProvider {
  /** In capitals, as the variables and the API spell it: GOOGLE. */
  readonly name: string
  /** What people know it as: Google. */
  readonly label: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: string
  /** The operator vouches that the addresses this issuer names are its people's own. */
  readonly trustEmail: boolean
  /** The operator vouches that this issuer has people sign in anew when asked to, although it does not say when they did. */
  readonly trustReauthentication: boolean
}

/** Where a browser goes to sign in through the provider. */
export const ssoPath = ({ name }: Pick<SsoProvider, 'name'>): string => `/sso/${name.toLowerCase()}`

/** Where the people of all of Microsoft's customers sign in, and private people too. */
export const MICROSOFT = 'https://login.microsoftonline.com'
/** How it names each of them. */
export const TENANT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MICROSOFT_ISSUER = new RegExp(`^${MICROSOFT}/([^/]+)/v2\\.0$`)

/** Whom Microsoft's issuer lets in: everybody, any organization, private people, or one tenant, by its id. */
export type Audience = 'common' | 'organizations' | 'consumers' | { tenantId: string }

/** Undefined for an issuer that is not Microsoft's. */
export function microsoftAudience(issuer: string): Audience | undefined {
  const tenant = MICROSOFT_ISSUER.exec(issuer)?.[1]
  if (tenant === 'common' || tenant === 'organizations' || tenant === 'consumers') return tenant
  return tenant !== undefined && TENANT_ID.test(tenant) ? { tenantId: tenant } : undefined
}

/** Cannot be asked to have somebody sign in again. */
export const GOOGLE = 'https://accounts.google.com'
const NAME = /^[A-Z][A-Z0-9_]{0,31}$/
const KNOWN: Record<string, { label: string; issuer: string }> = {
  GOOGLE: { label: 'Google', issuer: GOOGLE },
  MICROSOFT: { label: 'Microsoft', issuer: `${MICROSOFT}/common/v2.0` },
}
const SCOPES = 'openid profile email'
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/
const LONGEST_LABEL = 40

/** What the docs say about them. */
export const SSO_VARIABLES: Record<string, string> = {
  SSO_PROVIDERS: 'providers people may sign in through, such as GOOGLE,MICROSOFT,OKTA (none)',
  'SSO_<NAME>_CLIENT_ID': 'client id that the provider of this name has given you',
  'SSO_<NAME>_CLIENT_SECRET': 'its secret',
  'SSO_<NAME>_ISSUER': 'its OpenID issuer (known for GOOGLE and MICROSOFT)',
  'SSO_<NAME>_LABEL': 'what people know it as (Google, Microsoft, else the name)',
  'SSO_<NAME>_SCOPES': `scopes to ask for (${SCOPES})`,
  'SSO_<NAME>_TRUST_EMAIL': 'true: you vouch that its e-mail addresses are verified, even unmarked (false)',
  'SSO_<NAME>_TRUST_REAUTHENTICATION':
    'true: you vouch that it has people sign in again when asked to, though it sends no auth_time (false)',
  SSO_MICROSOFT_TENANT: 'common, organizations, consumers or the id of one tenant (common)',
}

/** The providers, in the order in which people are offered them. */
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
  const own = (part: string) => `SSO_${name}_${part}`
  const required = (part: string) => {
    const value = read.text(own(part))
    if (value === undefined) read.problems.push(`${own(part)} is missing: SSO_PROVIDERS holds ${name}.`)
    return value ?? ''
  }
  const issuer = readIssuer(read, name)
  const trustEmail = read.oneOf(own('TRUST_EMAIL'), ['true', 'false']) === 'true'
  // Whoever makes a tenant of their own there may write any address into it.
  if (trustEmail && typeof microsoftAudience(issuer) === 'string') {
    read.problems.push(`${own('TRUST_EMAIL')} is true: for Microsoft that needs the id of one tenant.`)
  }
  const trustReauthentication = read.oneOf(own('TRUST_REAUTHENTICATION'), ['true', 'false']) === 'true'
  if (trustReauthentication && issuer === GOOGLE) {
    read.problems.push(`${own('TRUST_REAUTHENTICATION')} is true: Google lets nobody ask for a new sign-in.`)
  }
  return {
    name,
    label: readLabel(read, name),
    issuer,
    clientId: required('CLIENT_ID'),
    clientSecret: required('CLIENT_SECRET'),
    scopes: readScopes(read, own('SCOPES')),
    trustEmail,
    trustReauthentication,
  }
}

function readIssuer(read: Reader, name: string): string {
  const variable = `SSO_${name}_ISSUER`
  const given = read.text(variable)
  const tenant = name === 'MICROSOFT' ? read.text('SSO_MICROSOFT_TENANT')?.toLowerCase() : undefined
  if (given !== undefined && tenant !== undefined) {
    read.problems.push(`${variable} and SSO_MICROSOFT_TENANT are both set: one says it all.`)
  }
  const issuer = given ?? (tenant ? `${MICROSOFT}/${tenant}/v2.0` : KNOWN[name]?.issuer)
  if (issuer === undefined) {
    read.problems.push(`${variable} is missing: SSO_PROVIDERS holds ${name}.`)
    return ''
  }
  const canonical = canonicalIssuer(issuer)
  const problem = issuerProblem(canonical)
  if (problem) read.problems.push(`${given === undefined ? 'SSO_MICROSOFT_TENANT' : variable} ${problem}.`)
  return canonical
}

/** Spelt as everybody spells it, so that a rule for an issuer cannot be missed by writing it in capitals. */
function canonicalIssuer(issuer: string): string {
  if (!URL.canParse(issuer)) return issuer
  const { href } = new URL(issuer)
  return issuer.endsWith('/') ? href : href.replace(/\/$/, '')
}

/** Why this cannot be an issuer; undefined when it can. The value itself might hold a password: it is not repeated. */
function issuerProblem(issuer: string): string | undefined {
  if (!URL.canParse(issuer)) return 'must be an https:// address'
  const { protocol, hostname, username, password, search, hash } = new URL(issuer)
  const safe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  if (!safe) return 'must start with https:// beyond localhost'
  if (username || password || search || hash) return 'must be an address without user, query and fragment'
  if (issuer.startsWith(`${MICROSOFT}/`) && microsoftAudience(issuer) === undefined) {
    return 'must name common, organizations, consumers or the id of a tenant, in version v2.0'
  }
  return undefined
}

function readLabel(read: Reader, name: string): string {
  const variable = `SSO_${name}_LABEL`
  const label = read.text(variable)
  if (label !== undefined && label.length > LONGEST_LABEL) {
    read.problems.push(`${variable} must have at most ${LONGEST_LABEL} characters.`)
  }
  return label ?? KNOWN[name]?.label ?? name
}

function readScopes(read: Reader, variable: string): string {
  const scopes = (read.text(variable) ?? SCOPES).split(/\s+/)
  if (!scopes.includes('openid') || !scopes.every((scope) => SCOPE.test(scope))) {
    read.problems.push(`${variable} must be scopes with spaces between, and openid among them.`)
  }
  return scopes.join(' ')
}

/** Variables of a provider that is not listed: probably forgotten, or misspelt. */
export function findSsoWarnings(env: Environment, providers: readonly SsoProvider[]): string[] {
  const names = providers.map(({ name }) => name)
  return Object.keys(env)
    .map((variable) => /^SSO_(.+)_(?:CLIENT_ID|CLIENT_SECRET|ISSUER)$/.exec(variable))
    .filter((match) => match !== null)
    .filter(([, name = '']) => !names.includes(name))
    .map(([variable, name]) => `${variable} is set, but SSO_PROVIDERS does not hold ${name}.`)
}
