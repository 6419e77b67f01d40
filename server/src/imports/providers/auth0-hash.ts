import { saltedShaNotation, scryptNotation } from './hash-notation.ts'
import { toObject, toText, type Values } from './items.ts'

/** The password hash of a user: bcrypt, or any algorithm in the form in which Auth0 imports hashes. */
export function toAuth0Hash(values: Values, losses: string[]): string | undefined {
  const bcrypt = toText(values.passwordHash) ?? toText(values.password_hash)
  if (bcrypt !== undefined) return bcrypt
  if (values.custom_password_hash === undefined) return undefined
  const custom = toObject(values.custom_password_hash)
  const passwordHash = toCustomHash(custom)
  if (passwordHash === undefined) {
    losses.push('the password is left out: its hash is unsalted or has an algorithm that is not accepted here')
  }
  return passwordHash
}

function toCustomHash(custom: Values): string | undefined {
  const hash = toObject(custom.hash)
  const value = toText(hash.value)
  if (value === undefined) return undefined
  switch (custom.algorithm) {
    // Their values have a notation of their own.
    case 'argon2':
    case 'bcrypt':
    case 'pbkdf2':
    case 'ldap':
      return value
    case 'sha1':
    case 'sha256':
    case 'sha512':
      return saltedShaNotation(custom.algorithm, {
        salt: toBytes(custom.salt),
        digest: toBytes(hash),
        saltFirst: toObject(custom.salt).position === 'prefix',
      })
    case 'scrypt': {
      const costs = {
        cost: Number(custom.cost ?? 16_384),
        blockSize: Number(custom.blockSize ?? 8),
        lanes: Number(custom.parallelization ?? 1),
      }
      return scryptNotation(costs, { salt: toBytes(custom.salt), digest: toBytes(hash) })
    }
    default:
      return undefined
  }
}

const ENCODINGS: Record<string, BufferEncoding> = { base64: 'base64', hex: 'hex', utf8: 'utf8' }

/** The bytes of a value with its encoding. Auth0 assumes UTF-8 for a salt. */
function toBytes(part: unknown): Buffer {
  const { value, encoding } = toObject(part)
  return Buffer.from(toText(value) ?? '', ENCODINGS[String(encoding)] ?? 'utf8')
}
