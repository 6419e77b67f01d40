import { firebaseNotation, pbkdf2Notation } from './hash-notation.ts'
import { toText, type Values } from './items.ts'

/** The password hash of a user. The field `password_hasher` names its form. */
export function toClerkHash(values: Values, losses: string[]): string | undefined {
  const digest = toText(values.password_digest)
  if (digest === undefined) return undefined
  const convert = CONVERSIONS[toText(values.password_hasher) ?? '']
  // Other forms are either known here or rejected with the reason.
  const passwordHash = convert ? convert(digest.split('$')) : digest
  if (passwordHash === undefined) losses.push('the password is left out: a part of its hash is missing')
  return passwordHash
}

const CONVERSIONS: Record<string, (parts: string[]) => string | undefined> = {
  pbkdf2_sha256: ([, iterations = '', salt = '', hash = '']) => toPbkdf2('sha256', iterations, { salt, hash }),
  pbkdf2_sha512: ([, iterations = '', salt = '', hash = '']) => toPbkdf2('sha512', iterations, { salt, hash }),
  // The salt is plain text here, and the hash is in hex.
  pbkdf2_sha1: ([, iterations = '', salt = '', hash = '']) =>
    pbkdf2Notation('sha1', Number(iterations), { salt: Buffer.from(salt), digest: Buffer.from(hash, 'hex') }),
  scrypt_firebase: ([hash = '', salt = '', signerKey = '', saltSeparator = '', rounds = '', memoryCost = '']) =>
    firebaseNotation(
      {
        signerKey: Buffer.from(signerKey, 'base64'),
        saltSeparator: Buffer.from(saltSeparator, 'base64'),
        rounds: Number(rounds),
        memoryCost: Number(memoryCost),
      },
      { salt: Buffer.from(salt, 'base64'), digest: Buffer.from(hash, 'base64') },
    ),
}

const toPbkdf2 = (kind: string, iterations: string, { salt, hash }: { salt: string; hash: string }) =>
  pbkdf2Notation(kind, Number(iterations), {
    salt: Buffer.from(salt, 'base64'),
    digest: Buffer.from(hash, 'base64'),
  })
