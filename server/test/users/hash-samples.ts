import { createHash, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto'
import { hash as argon2 } from '@node-rs/argon2'
import { hash as bcrypt } from '@node-rs/bcrypt'

const unpaddedBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
const salt = randomBytes(16)
export const PASSWORD = 'Grüße, 旅人 🗝 2026'
export const sha = (kind: string, ...parts: (string | Buffer)[]) => {
  const hash = createHash(kind)
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Created independently of the code under test. */
export const CREATED: [string, () => Promise<string> | string][] = [
  ['argon2i', () => argon2(PASSWORD, { algorithm: 1, memoryCost: 8_192, timeCost: 3, parallelism: 2 })],
  ['argon2d', () => argon2(PASSWORD, { algorithm: 0, memoryCost: 4_096, timeCost: 1 })],
  ['argon2id with other parameters', () => argon2(PASSWORD, { memoryCost: 16_384, timeCost: 3 })],
  ['bcrypt $2a$', () => bcrypt(PASSWORD, { cost: 4, version: '2a' })],
  ['bcrypt $2b$', () => bcrypt(PASSWORD, { cost: 10, version: '2b' })],
  ['bcrypt $2y$', () => bcrypt(PASSWORD, { cost: 4, version: '2y' })],
  [
    'scrypt',
    () => {
      const key = scryptSync(PASSWORD, salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 })
      return `$scrypt$ln=15,r=8,p=1$${unpaddedBase64(salt)}$${unpaddedBase64(key)}`
    },
  ],
  [
    "Django's PBKDF2",
    () => {
      const key = pbkdf2Sync(PASSWORD, 'zLx9vQ', 20_000, 32, 'sha256')
      return `pbkdf2_sha256$20000$zLx9vQ$${key.toString('base64')}`
    },
  ],
  [
    'PBKDF2 with SHA-256 as PHC writes it',
    () =>
      `$pbkdf2-sha256$i=20000,l=32$${unpaddedBase64(salt)}$${unpaddedBase64(pbkdf2Sync(PASSWORD, salt, 20_000, 32, 'sha256'))}`,
  ],
  [
    'PBKDF2 with SHA-512 as passlib writes it',
    () =>
      `$pbkdf2-sha512$20000$${unpaddedBase64(salt)}$${unpaddedBase64(pbkdf2Sync(PASSWORD, salt, 20_000, 64, 'sha512'))}`.replaceAll(
        '+',
        '.',
      ),
  ],
  [
    'PBKDF2 with SHA-1',
    () =>
      `$pbkdf2-sha1$i=20000$${unpaddedBase64(salt)}$${unpaddedBase64(pbkdf2Sync(PASSWORD, salt, 20_000, 64, 'sha1'))}`,
  ],
  ['{SSHA}', () => `{SSHA}${Buffer.concat([sha('sha1', PASSWORD, salt), salt]).toString('base64')}`],
  ['{SSHA256}', () => `{SSHA256}${Buffer.concat([sha('sha256', PASSWORD, salt), salt]).toString('base64')}`],
  ['{SSHA512}', () => `{ssha512}${Buffer.concat([sha('sha512', PASSWORD, salt), salt]).toString('base64')}`],
  ['sha1$', () => `sha1$a1b2c$${sha('sha1', 'a1b2c', PASSWORD).toString('hex')}`],
  ['sha256$', () => `sha256$a1b2c$${sha('sha256', 'a1b2c', PASSWORD).toString('hex')}`],
  ['sha512$', () => `sha512$a1b2c$${sha('sha512', 'a1b2c', PASSWORD).toString('hex')}`],
]

const DIGEST = unpaddedBase64(randomBytes(32))
export const TOO_EXPENSIVE: [string, string][] = [
  ['memory', `$argon2id$v=19$m=262145,t=1,p=1$c29tZXNhbHQ$${DIGEST}`],
  ['work', `$argon2id$v=19$m=1024,t=6081,p=1$c29tZXNhbHQ$${DIGEST}`],
  ['work', `$argon2d$v=19$m=1024,t=4294967295,p=1$c29tZXNhbHQ$${DIGEST}`],
  ['work', `$argon2i$v=19$m=65536,t=1,p=255$c29tZXNhbHQ$${DIGEST}`],
  ['work', `$2b$16$${'C'.repeat(21)}.${'C'.repeat(31)}`],
  ['work', `$2b$31$${'C'.repeat(21)}.${'C'.repeat(31)}`],
  ['memory', `$scrypt$ln=19,r=8,p=1$c29tZXNhbHQ$${DIGEST}`],
  ['memory', `$scrypt$ln=15,r=999,p=1$c29tZXNhbHQ$${DIGEST}`],
  ['work', `$scrypt$ln=14,r=8,p=999$c29tZXNhbHQ$${DIGEST}`],
  ['work', `pbkdf2_sha256$15000000$salt$${DIGEST}=`],
  ['work', `$pbkdf2-sha512$i=9999999999$c29tZXNhbHQ$${DIGEST}`],
  ['work', `$pbkdf2-sha256$7500000$c29tZXNhbHQ$${unpaddedBase64(randomBytes(64))}`],
]

/** Accepted by earlier releases: no longer importable, but valid when stored. */
export const FORMERLY_ACCEPTED: [string, string][] = [
  ['memory', `$argon2id$v=19$m=262144,t=1,p=1$c29tZXNhbHQ$${DIGEST}`],
  ['work', `$argon2id$v=19$m=131072,t=8,p=1$c29tZXNhbHQ$${DIGEST}`],
  ['work', `$2b$14$${'C'.repeat(21)}.${'C'.repeat(31)}`],
  ['memory', `$scrypt$ln=18,r=8,p=1$c29tZXNhbHQ$${DIGEST}`],
  ['work', `$scrypt$ln=16,r=8,p=4$c29tZXNhbHQ$${DIGEST}`],
  ['work', `pbkdf2_sha256$5000000$salt$${DIGEST}=`],
  ['work', `$pbkdf2-sha512$i=1000000$c29tZXNhbHQ$${DIGEST}`],
]

/** Parameters that other systems use today. */
export const COMMON = [
  `$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$${DIGEST}`,
  `$argon2id$v=19$m=47104,t=1,p=1$c29tZXNhbHQ$${DIGEST}`,
  `$2b$12$${'C'.repeat(21)}.${'C'.repeat(31)}`,
  `$2b$13$${'C'.repeat(21)}.${'C'.repeat(31)}`,
  `$scrypt$ln=17,r=8,p=1$c29tZXNhbHQ$${DIGEST}`,
  `pbkdf2_sha256$1200000$salt$${DIGEST}=`,
  `$pbkdf2-sha512$i=210000$c29tZXNhbHQ$${DIGEST}`,
]

export const MALFORMED = [
  '',
  'x',
  'hunter2 in plain text',
  '$argon2id$',
  '$argon2id$v=19$m=19456,t=2,p=1$',
  `$argon2id$v=19$m=19456,t=2,p=1$${'!'.repeat(22)}$${'!'.repeat(43)}`,
  `$argon2id$v=19$m=0,t=0,p=0$c29tZXNhbHQ$${DIGEST}`,
  `$argon2x$v=19$m=1024,t=1,p=1$c29tZXNhbHQ$${DIGEST}`,
  '$2b$10$short',
  `$2b$03$${'C'.repeat(53)}`,
  `$2x$05$${'C'.repeat(53)}`,
  `$scrypt$ln=0,r=8,p=1$c29tZXNhbHQ$${DIGEST}`,
  `$scrypt$ln=17,r=1,p=1$c29tZXNhbHQ$${DIGEST}`,
  `$scrypt$ln=10,r=0,p=0$c29tZXNhbHQ$${DIGEST}`,
  '$scrypt$ln=10,r=8,p=1$c29tZXNhbHQ$',
  'pbkdf2_sha256$0$salt$AAAA',
  `pbkdf2_sha256$0$salt$${DIGEST}=`,
  '$pbkdf2-sha256$1000$$',
  `$pbkdf2-md5$1000$c29tZXNhbHQ$${DIGEST}`,
  '{SSHA}AAAA',
  `{SSHA}${Buffer.alloc(20).toString('base64')}`,
  'sha1$salt$abc',
  `sha1$$${'a'.repeat(40)}`,
  `sha256$salt$${'a'.repeat(40)}`,
  '5f4dcc3b5aa765d61d8327deb882cf99',
  `{SSHA512}${'A'.repeat(1_000)}`,
]
