import { createHash, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { parseOptions as parseArgon2, verify as verifyArgon2 } from '@node-rs/argon2'

/**
 * The hashes that people may bring along from other systems. Each says itself how much work it takes to verify;
 * whoever writes one must not be able to keep the service busy with it.
 */
interface StoredHash {
  /** About how much work it takes to verify; a hash of our own takes 1. None: next to nothing. */
  work?: number
  mebibytes?: number
  matches(password: string): Promise<boolean>
}

/** How much a hash may take. */
interface Bounds {
  work: number
  mebibytes: number
}

/** For hashes that are brought along: a guess takes half a second of one core at most. */
const IMPORT_BOUNDS = { work: 25, mebibytes: 128 }
/** For hashes that are stored already: earlier releases accepted up to this. The first sign-in replaces them. */
const VERIFY_BOUNDS = { work: 160, mebibytes: 256 }

/** The parts of a hash that its form has. */
interface Parts {
  text: string
  kind: string
  cost: string
  blocks: string
  lanes: string
  salt: string
  digest: string
}

/** A form in which hashes are written. What fits it and makes no sense all the same is read as undefined. */
interface Form {
  form: RegExp
  read(parts: Parts): StoredHash | undefined
}

const FORMS: Form[] = [
  { form: /^\$argon2(?:id|i|d)\$/, read: readArgon2 },
  { form: /^\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/, read: readBcrypt },
  {
    form: /^\$scrypt\$ln=(?<cost>\d\d?),r=(?<blocks>\d{1,3}),p=(?<lanes>\d{1,3})\$(?<salt>[\w+/]+)\$(?<digest>[\w+/]+)$/,
    read: readScrypt,
  },
  {
    // Django's.
    form: /^pbkdf2_(?<kind>sha256)\$(?<cost>\d{1,10})\$(?<salt>[^$]+)\$(?<digest>[\w+/]+={0,2})$/,
    read: (parts) => readPbkdf2(parts, Buffer.from(parts.salt)),
  },
  {
    // The PHC string format, and that of passlib, which names no parameter and writes "." for "+".
    form: /^\$pbkdf2-(?<kind>sha256|sha512)\$(?:i=)?(?<cost>\d{1,10})(?:,l=\d+)?\$(?<salt>[\w+/.]+)\$(?<digest>[\w+/.]+)$/,
    read: (parts) => readPbkdf2(parts, fromBase64(parts.salt)),
  },
  { form: /^\{S(?<kind>SHA|SHA256|SHA512)\}(?<digest>[\w+/]+={0,2})$/i, read: readLdap },
  { form: /^(?<kind>sha1|sha256)\$(?<salt>[^$]+)\$(?<digest>[0-9a-f]+)$/i, read: readSalted },
]
const LONGEST = 1_000
const MEBIBYTE = 2 ** 20
const MOST_LANES = 16

function readHash(text: string): StoredHash | undefined {
  if (text.length > LONGEST) return undefined
  for (const { form, read } of FORMS) {
    const found = form.exec(text)
    if (found) return read({ ...found.groups, text } as Parts)
  }
  return undefined
}

/** Why nobody could sign in with a hash; undefined when they can. */
export function passwordHashProblem(text: string): string | undefined {
  const hash = readHash(text)
  if (!hash)
    return 'it is of no known form (argon2, bcrypt, scrypt, PBKDF2 or salted SHA), or a part of it is missing.'
  const excess = findExcess(hash, IMPORT_BOUNDS)
  return excess && `it takes too much ${excess} to verify.`
}

function findExcess({ work = 0, mebibytes = 0 }: StoredHash, most: Bounds): string | undefined {
  if (mebibytes > most.mebibytes) return `memory (more than ${most.mebibytes} MiB)`
  if (work > most.work) return `work (more than ${most.work} times that of a hash made here)`
  return undefined
}

/** Whether the password is the one behind the hash. Nothing is behind a hash that has a problem. */
export async function matchesHash(text: string, password: string): Promise<boolean> {
  const hash = readHash(text)
  if (!hash || findExcess(hash, VERIFY_BOUNDS)) return false
  // Other systems have hashed what was typed; here it is normalised first.
  for (const typed of new Set([password, password.normalize('NFKC')])) {
    if (await hash.matches(typed)) return true
  }
  return false
}

function readArgon2({ text }: Parts): StoredHash | undefined {
  const costs = parsed(() => parseArgon2(text))
  if (!costs) return undefined
  const { memoryCost, timeCost, parallelism } = costs
  return {
    // Every lane is a thread of its own.
    work: parallelism > MOST_LANES ? Infinity : (memoryCost * timeCost) / (19_456 * 2),
    mebibytes: memoryCost / 1024,
    matches: (password) => verifyArgon2(text, password),
  }
}

function readBcrypt({ text, cost }: Parts): StoredHash | undefined {
  // The format knows no others.
  if (Number(cost) < 4 || Number(cost) > 31) return undefined
  return {
    work: 2.75 * 2 ** (Number(cost) - 10),
    // Loaded with the first such hash: most instances have none.
    matches: async (password) => (await import('@node-rs/bcrypt')).verify(password, text),
  }
}

function readScrypt({ cost, blocks, lanes, salt, digest }: Parts): StoredHash | undefined {
  const [N, r, p] = [2 ** Number(cost), Number(blocks), Number(lanes)]
  const known = fromBase64(digest)
  // RFC 7914 §2: N is a power of two above 1, and less than 2^(128·r/8).
  if (!isDigest(known) || N < 2 || Number(cost) >= 16 * r || p < 1) return undefined
  const mebibytes = (128 * N * r) / MEBIBYTE
  return {
    // The lanes are worked on one after the other.
    work: (mebibytes * p) / 7,
    mebibytes,
    matches: async (password) => {
      const options = { N, r, p, maxmem: 512 * MEBIBYTE }
      return isEqual(await deriveScrypt(password, fromBase64(salt), known.length, options), known)
    },
  }
}

const deriveScrypt = (password: string, salt: Buffer, length: number, options: object) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)))
  })

function readPbkdf2({ kind, cost, digest }: Parts, salt: Buffer): StoredHash | undefined {
  const known = fromBase64(digest)
  if (!isDigest(known) || Number(cost) < 1) return undefined
  // A key longer than the digest takes all the rounds once more.
  const isLong = kind === 'sha512'
  const iterations = Number(cost) * Math.ceil(known.length / (isLong ? 64 : 32))
  return {
    work: iterations / (isLong ? 33_000 : 93_000),
    matches: async (password) =>
      isEqual(await derivePbkdf2(password, salt, Number(cost), known.length, kind), known),
  }
}

const derivePbkdf2 = promisify(pbkdf2)

/** RFC 2307's `{SSHA}` and its kin: the salt is added to the password, and to the end of the digest. */
function readLdap({ kind, digest }: Parts): StoredHash | undefined {
  const algorithm = { SHA: 'sha1', SHA256: 'sha256', SHA512: 'sha512' }[kind.toUpperCase()] ?? kind
  const all = fromBase64(digest)
  const length = createHash(algorithm).digest().length
  const salt = all.subarray(length)
  if (salt.length === 0) return undefined
  return {
    matches: async (password) =>
      isEqual(createHash(algorithm).update(password).update(salt).digest(), all.subarray(0, length)),
  }
}

/** As early Django wrote them: the salt comes before the password. */
function readSalted({ kind, salt, digest }: Parts): StoredHash | undefined {
  const algorithm = kind.toLowerCase()
  const known = Buffer.from(digest, 'hex')
  if (known.length !== createHash(algorithm).digest().length || digest.length !== known.length * 2)
    return undefined
  return {
    matches: async (password) => isEqual(createHash(algorithm).update(salt).update(password).digest(), known),
  }
}

const fromBase64 = (text: string) => Buffer.from(text.replaceAll('.', '+'), 'base64')
const isDigest = ({ length }: Buffer) => length >= 16 && length <= 64
const isEqual = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

/** What the library reads; undefined when it cannot. */
function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
