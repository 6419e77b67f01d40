/** Password hashes of other systems in the notations that `users/password-hashes.ts` reads. */

/** Base64 without padding, as in the PHC string format. */
const toPhc = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

interface Derived {
  salt: Buffer
  digest: Buffer
}

export const pbkdf2Notation = (kind: string, iterations: number, { salt, digest }: Derived): string =>
  `$pbkdf2-${kind}$i=${iterations}$${toPhc(salt)}$${toPhc(digest)}`

interface Argon2Costs {
  type: string
  version: number
  memoryKib: number
  passes: number
  lanes: number
}

export const argon2Notation = (
  { type, version, memoryKib, passes, lanes }: Argon2Costs,
  { salt, digest }: Derived,
): string => `$argon2${type}$v=${version}$m=${memoryKib},t=${passes},p=${lanes}$${toPhc(salt)}$${toPhc(digest)}`

interface ScryptCosts {
  /** A power of two. */
  cost: number
  blockSize: number
  lanes: number
}

export const scryptNotation = ({ cost, blockSize, lanes }: ScryptCosts, { salt, digest }: Derived): string =>
  `$scrypt$ln=${Math.log2(cost)},r=${blockSize},p=${lanes}$${toPhc(salt)}$${toPhc(digest)}`

/** The parameters of a Firebase project. */
export interface FirebaseParameters {
  signerKey: Buffer
  saltSeparator: Buffer
  rounds: number
  memoryCost: number
}

/** Undefined when the digest cannot have been made with these parameters. */
export function firebaseNotation(
  { signerKey, saltSeparator, rounds, memoryCost }: FirebaseParameters,
  { salt, digest }: Derived,
): string | undefined {
  if (digest.length !== signerKey.length) return undefined
  // The digest is the signer key, encrypted with a stream cipher. Without the signer key, the keystream remains.
  const keystream = digest.map((byte, index) => byte ^ (signerKey[index] ?? 0))
  const wholeSalt = toPhc(Buffer.concat([salt, saltSeparator]))
  return `$firebase-scrypt$ln=${memoryCost},r=${rounds},p=1$${wholeSalt}$${toPhc(Buffer.from(keystream))}`
}

const LDAP_NAMES: Record<string, string> = { sha1: 'SSHA', sha256: 'SSHA256', sha512: 'SSHA512' }

/** One round of SHA over password and salt. Undefined when it has no salt, or one that cannot be written. */
export function saltedShaNotation(
  kind: string,
  { salt, digest, saltFirst }: Derived & { saltFirst: boolean },
): string | undefined {
  const name = LDAP_NAMES[kind]
  if (name === undefined || salt.length === 0) return undefined
  if (!saltFirst) return `{${name}}${Buffer.concat([digest, salt]).toString('base64')}`
  const text = salt.toString('utf8')
  const isWritable = Buffer.from(text).equals(salt) && !/[$\p{Cc}]/u.test(text)
  return isWritable ? `${kind}$${text}$${digest.toString('hex')}` : undefined
}
