import { createCipheriv, createHash, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { parseOptions as parseArgon2, verify as verifyArgon2 } from '@node-rs/argon2'

/**
 * Password hashes in the formats of other systems. The cost parameters are part of the hash, so they are limited: an
 * imported hash must not be able to overload the service.
 */
interface StoredHash {
  /** Approximate cost of verification, relative to a hash created here. Undefined: negligible. */
  work?: number
  mebibytes?: number
  matches(password: string): Promise<boolean>
}

interface CostLimits {
  work: number
  mebibytes: number
}

/** For imported hashes: a verification takes at most half a second of one core. */
const IMPORT_LIMITS = { work: 25, mebibytes: 128 }
/** For stored hashes: earlier releases accepted up to this. The first sign-in replaces them. */
const VERIFY_LIMITS = { work: 160, mebibytes: 256 }

/** The named groups of the pattern; each format has only some of them. */
interface Parts {
  text: string
  kind: string
  cost: string
  blocks: string
  lanes: string
  salt: string
  digest: string
}

interface HashFormat {
  pattern: RegExp
  /** Undefined when the parameters are invalid. */
  parse(parts: Parts): StoredHash | undefined
}

const FORMATS: HashFormat[] = [
  { pattern: /^\$argon2(?:id|i|d)\$/, parse: parseArgon2Hash },
  { pattern: /^\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/, parse: parseBcryptHash },
  {
    pattern:
      /^\$scrypt\$ln=(?<cost>\d\d?),r=(?<blocks>\d{1,3}),p=(?<lanes>\d{1,3})\$(?<salt>[\w+/]+)\$(?<digest>[\w+/]+)$/,
    parse: parseScryptHash,
  },
  {
    pattern:
      /^\$firebase-scrypt\$ln=(?<cost>\d\d?),r=(?<blocks>\d{1,3}),p=(?<lanes>\d{1,3})\$(?<salt>[\w+/]+)\$(?<digest>[\w+/]+)$/,
    parse: parseFirebaseHash,
  },
  {
    // Django.
    pattern: /^pbkdf2_(?<kind>sha256)\$(?<cost>\d{1,10})\$(?<salt>[^$]+)\$(?<digest>[\w+/]+={0,2})$/,
    parse: (parts) => parsePbkdf2Hash(parts, Buffer.from(parts.salt)),
  },
  {
    // The PHC string format, and passlib's variant without parameter names and with "." for "+".
    pattern:
      /^\$pbkdf2-(?<kind>sha1|sha256|sha512)\$(?:i=)?(?<cost>\d{1,10})(?:,l=\d+)?\$(?<salt>[\w+/.]+)\$(?<digest>[\w+/.]+)$/,
    parse: (parts) => parsePbkdf2Hash(parts, fromBase64(parts.salt)),
  },
  { pattern: /^\{S(?<kind>SHA|SHA256|SHA512)\}(?<digest>[\w+/]+={0,2})$/i, parse: parseLdapHash },
  { pattern: /^(?<kind>sha1|sha256|sha512)\$(?<salt>[^$]+)\$(?<digest>[0-9a-f]+)$/i, parse: parseSaltedHash },
]
const MAX_LENGTH = 1_000
const MEBIBYTE = 2 ** 20
const MAX_LANES = 16

function parseHash(text: string): StoredHash | undefined {
  if (text.length > MAX_LENGTH) return undefined
  for (const { pattern, parse } of FORMATS) {
    const match = pattern.exec(text)
    if (match) return parse({ ...match.groups, text } as Parts)
  }
  return undefined
}

/** The reason why a hash cannot be imported; undefined when it can. */
export function passwordHashProblem(text: string): string | undefined {
  const hash = parseHash(text)
  if (!hash) return 'it is of no known form (argon2, bcrypt, scrypt, PBKDF2 or salted SHA), or a part of it is missing.'
  const excess = findExceededLimit(hash, IMPORT_LIMITS)
  return excess && `it takes too much ${excess} to verify.`
}

function findExceededLimit({ work = 0, mebibytes = 0 }: StoredHash, limits: CostLimits): string | undefined {
  if (mebibytes > limits.mebibytes) return `memory (more than ${limits.mebibytes} MiB)`
  if (work > limits.work) return `work (more than ${limits.work} times that of a hash made here)`
  return undefined
}

/** Whether the password matches the hash; false for a hash of unknown format or above the limits. */
export async function matchesHash(text: string, password: string): Promise<boolean> {
  const hash = parseHash(text)
  if (!hash || findExceededLimit(hash, VERIFY_LIMITS)) return false
  // Other systems hash the password as typed; hashes created here are of the normalized password.
  for (const typed of new Set([password, password.normalize('NFKC')])) {
    if (await hash.matches(typed)) return true
  }
  return false
}

function parseArgon2Hash({ text }: Parts): StoredHash | undefined {
  const costs = tryParse(() => parseArgon2(text))
  if (!costs) return undefined
  const { memoryCost, timeCost, parallelism } = costs
  return {
    // Every lane is a separate thread.
    work: parallelism > MAX_LANES ? Infinity : (memoryCost * timeCost) / (19_456 * 2),
    mebibytes: memoryCost / 1024,
    matches: (password) => verifyArgon2(text, password),
  }
}

function parseBcryptHash({ text, cost }: Parts): StoredHash | undefined {
  // The valid range of the format.
  if (Number(cost) < 4 || Number(cost) > 31) return undefined
  return {
    work: 2.75 * 2 ** (Number(cost) - 10),
    // Loaded on first use: most instances have no bcrypt hashes.
    matches: async (password) => (await import('@node-rs/bcrypt')).verify(password, text),
  }
}

function parseScryptHash(parts: Parts): StoredHash | undefined {
  const expected = fromBase64(parts.digest)
  if (!isDigest(expected)) return undefined
  return toScryptHash(parts, expected.length, (key) => isEqual(key, expected))
}

const AES_KEY_LENGTH = 32

/**
 * Firebase encrypts the signer key of the project with the derived key (AES-256-CTR). The import removes the signer key
 * from the hash by XOR, which leaves the keystream. So the signer key is never stored.
 */
function parseFirebaseHash(parts: Parts): StoredHash | undefined {
  const expected = fromBase64(parts.digest)
  if (!isDigest(expected)) return undefined
  return toScryptHash(parts, AES_KEY_LENGTH, (key) => {
    const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
    return isEqual(cipher.update(Buffer.alloc(expected.length)), expected)
  })
}

function toScryptHash(
  { cost, blocks, lanes, salt }: Parts,
  keyLength: number,
  isExpected: (key: Buffer) => boolean,
): StoredHash | undefined {
  const [N, r, p] = [2 ** Number(cost), Number(blocks), Number(lanes)]
  // RFC 7914 §2: N is a power of two above 1, and less than 2^(128·r/8).
  if (N < 2 || Number(cost) >= 16 * r || p < 1) return undefined
  const mebibytes = (128 * N * r) / MEBIBYTE
  return {
    // The lanes are computed sequentially.
    work: (mebibytes * p) / 7,
    mebibytes,
    matches: async (password) => {
      const options = { N, r, p, maxmem: 512 * MEBIBYTE }
      return isExpected(await deriveScrypt(password, fromBase64(salt), keyLength, options))
    },
  }
}

const deriveScrypt = (password: string, salt: Buffer, length: number, options: object) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)))
  })

/** How many iterations take as long as a hash created here. */
const PBKDF2_COSTS = {
  sha1: { blockBytes: 20, iterationsPerHash: 93_000 },
  sha256: { blockBytes: 32, iterationsPerHash: 93_000 },
  sha512: { blockBytes: 64, iterationsPerHash: 33_000 },
}

function parsePbkdf2Hash({ kind, cost, digest }: Parts, salt: Buffer): StoredHash | undefined {
  const expected = fromBase64(digest)
  if (!isDigest(expected) || Number(cost) < 1) return undefined
  // Every further block of the key repeats all iterations (RFC 8018 §5.2).
  const { blockBytes, iterationsPerHash } = PBKDF2_COSTS[kind as keyof typeof PBKDF2_COSTS]
  const iterations = Number(cost) * Math.ceil(expected.length / blockBytes)
  return {
    work: iterations / iterationsPerHash,
    matches: async (password) =>
      isEqual(await derivePbkdf2(password, salt, Number(cost), expected.length, kind), expected),
  }
}

const derivePbkdf2 = promisify(pbkdf2)

/** LDAP schemes such as `{SSHA}`: the salt is appended to the password, and to the stored digest. */
function parseLdapHash({ kind, digest }: Parts): StoredHash | undefined {
  const algorithm = { SHA: 'sha1', SHA256: 'sha256', SHA512: 'sha512' }[kind.toUpperCase()] ?? kind
  const digestAndSalt = fromBase64(digest)
  const length = createHash(algorithm).digest().length
  const salt = digestAndSalt.subarray(length)
  if (salt.length === 0) return undefined
  return {
    matches: async (password) =>
      isEqual(createHash(algorithm).update(password).update(salt).digest(), digestAndSalt.subarray(0, length)),
  }
}

/** The format of early Django: the salt comes before the password. */
function parseSaltedHash({ kind, salt, digest }: Parts): StoredHash | undefined {
  const algorithm = kind.toLowerCase()
  const expected = Buffer.from(digest, 'hex')
  if (expected.length !== createHash(algorithm).digest().length || digest.length !== expected.length * 2)
    return undefined
  return {
    matches: async (password) => isEqual(createHash(algorithm).update(salt).update(password).digest(), expected),
  }
}

const fromBase64 = (text: string) => Buffer.from(text.replaceAll('.', '+'), 'base64')
const isDigest = ({ length }: Buffer) => length >= 16 && length <= 64
const isEqual = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

/** Undefined when the parser throws. */
function tryParse<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
