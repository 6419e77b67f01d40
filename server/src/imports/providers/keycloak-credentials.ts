import { Secret } from 'otpauth'
import { argon2Notation, pbkdf2Notation } from './hash-notation.ts'
import { parseEmbedded, toObject, toObjects, toText, toTexts, type Values } from './items.ts'

export interface Credentials {
  passwordHash: string | undefined
  totpSecret: string | undefined
  losses: string[]
}

/** The credentials of a user. Keycloak stores the parts of each in two JSON texts. */
export function readCredentials(user: Values): Credentials {
  const credentials = toObjects(user.credentials)
  const ofType = (...types: string[]) => credentials.filter(({ type }) => types.includes(String(type)))
  const [password] = ofType('password')
  const [app, ...moreApps] = ofType('otp')
  const losses: string[] = []
  const lose = (condition: boolean, loss: string) => condition && losses.push(loss)
  lose(moreApps.length > 0, `${moreApps.length} more authenticator apps are left out: a user has one here`)
  const passkeys = ofType('webauthn', 'webauthn-passwordless').length
  lose(passkeys > 0, `${passkeys} passkeys are left out: they only work at the address where they were made`)
  lose(ofType('recovery-authn-codes').length > 0, 'the recovery codes are left out: the user makes new ones')
  const passwordHash = password && readPassword(user, password, losses)
  const totpSecret = app && readAuthenticatorApp(app, losses)
  listRequiredActions(user, losses)
  return { passwordHash, totpSecret, losses }
}

function readPassword(user: Values, credential: Values, losses: string[]): string | undefined {
  if (toTexts(user.requiredActions).includes('UPDATE_PASSWORD')) {
    losses.push('the password is left out: it had to be changed. The user sets one with "Forgot your password?"')
    return undefined
  }
  const passwordHash = toPasswordHash(parseEmbedded(credential.credentialData), parseEmbedded(credential.secretData))
  if (passwordHash === undefined) losses.push('the password is left out: its hash has an unknown algorithm')
  return passwordHash
}

const PBKDF2_KINDS: Record<string, string> = {
  pbkdf2: 'sha1',
  'pbkdf2-sha256': 'sha256',
  'pbkdf2-sha512': 'sha512',
}
const ARGON2_VERSIONS: Record<string, number> = { '1.0': 16, '1.3': 19 }

/** Undefined for an unknown algorithm. */
function toPasswordHash(data: Values, secret: Values): string | undefined {
  const [salt, value] = [toText(secret.salt), toText(secret.value)]
  if (salt === undefined || value === undefined) return undefined
  const derived = { salt: Buffer.from(salt, 'base64'), digest: Buffer.from(value, 'base64') }
  const passes = Number(data.hashIterations)
  const kind = PBKDF2_KINDS[String(data.algorithm)]
  if (kind !== undefined) return pbkdf2Notation(kind, passes, derived)
  if (data.algorithm !== 'argon2') return undefined
  const parameters = toObject(data.additionalParameters)
  const parameter = (name: string) => toTexts(parameters[name])[0] ?? ''
  const version = ARGON2_VERSIONS[parameter('version')]
  if (version === undefined) return undefined
  const costs = { memoryKib: Number(parameter('memory')), passes, lanes: Number(parameter('parallelism')) }
  return argon2Notation({ type: parameter('type'), version, ...costs }, derived)
}

/** The secret in base32; undefined for codes of a kind that this system does not accept. */
function readAuthenticatorApp(credential: Values, losses: string[]): string | undefined {
  const data = parseEmbedded(credential.credentialData)
  const value = toText(parseEmbedded(credential.secretData).value)
  const isUsual =
    data.subType === 'totp' &&
    data.digits === 6 &&
    data.period === 30 &&
    [undefined, 'HmacSHA1'].includes(data.algorithm as string)
  if (value === undefined || !isUsual) {
    losses.push('the authenticator app is left out: only codes of 6 digits, 30 seconds and SHA-1 are accepted here')
    return undefined
  }
  if (data.secretEncoding === 'BASE32') return value
  const bytes = Buffer.from(value)
  return new Secret({ buffer: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer })
    .base32
}

/** Required actions that have an equivalent here, or are handled above. */
const KNOWN_ACTIONS = ['UPDATE_PASSWORD', 'VERIFY_EMAIL']

function listRequiredActions({ requiredActions }: Values, losses: string[]): void {
  const actions = toTexts(requiredActions).filter((action) => !KNOWN_ACTIONS.includes(action))
  if (actions.length > 0) losses.push(`the required actions ${actions.join(', ')} are left out`)
}
