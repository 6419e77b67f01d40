import { createHash, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hash as argon2 } from '@node-rs/argon2'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { applyChanges, describeChanges, planChanges, readDeclaration } from '../../src/declaration/apply.ts'
import { hashSettings, setHashSettings } from '../../src/lib/hash-settings.ts'
import { matchesHash, passwordHashProblem } from '../../src/users/password-hashes.ts'
import { tempFolder } from '../support/program.ts'
import { startService, type TestService } from '../support/service.ts'
import { cookieOf } from '../support/world.ts'

let service: TestService
const folder = tempFolder()
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Applies a declaration of people, as an operator would; the answer is the plan. */
async function declare(...users: object[]): Promise<string> {
  const file = join(folder, 'declaration.yaml')
  writeFileSync(file, JSON.stringify({ users }))
  const changes = await planChanges(service.ctx, sections, readDeclaration(file, sections))
  await applyChanges(service.ctx, changes)
  return describeChanges(changes)
}

let people = 0
const newAddress = () => `person-${people++}@example.test`

async function bring(passwordHash: string): Promise<string> {
  const email = newAddress()
  await declare({ email, passwordHash })
  return email
}

const attempt = (email: string, password: string) =>
  fetch(`${service.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
const statusOf = async (email: string, password: string) => (await attempt(email, password)).status

const userOf = (email: string) =>
  service.ctx.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow()

const OURS = /^\$argon2id\$v=19\$m=1024,t=2,p=1\$/
const bare64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
const salt = randomBytes(16)
const PASSWORD = 'Grüße, 旅人 🗝 2026'
const sha = (kind: string, ...parts: (string | Buffer)[]) => {
  const hash = createHash(kind)
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Made here, without the code that reads them. */
const MADE: [string, () => Promise<string> | string][] = [
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
      return `$scrypt$ln=15,r=8,p=1$${bare64(salt)}$${bare64(key)}`
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
      `$pbkdf2-sha256$i=20000,l=32$${bare64(salt)}$${bare64(pbkdf2Sync(PASSWORD, salt, 20_000, 32, 'sha256'))}`,
  ],
  [
    'PBKDF2 with SHA-512 as passlib writes it',
    () =>
      `$pbkdf2-sha512$20000$${bare64(salt)}$${bare64(pbkdf2Sync(PASSWORD, salt, 20_000, 64, 'sha512'))}`.replaceAll(
        '+',
        '.',
      ),
  ],
  ['{SSHA}', () => `{SSHA}${Buffer.concat([sha('sha1', PASSWORD, salt), salt]).toString('base64')}`],
  ['{SSHA256}', () => `{SSHA256}${Buffer.concat([sha('sha256', PASSWORD, salt), salt]).toString('base64')}`],
  ['{SSHA512}', () => `{ssha512}${Buffer.concat([sha('sha512', PASSWORD, salt), salt]).toString('base64')}`],
  ['sha1$', () => `sha1$a1b2c$${sha('sha1', 'a1b2c', PASSWORD).toString('hex')}`],
  ['sha256$', () => `sha256$a1b2c$${sha('sha256', 'a1b2c', PASSWORD).toString('hex')}`],
]

test.each(MADE)(
  '%s: only the password opens the account, and its hash is ours from then on',
  async (_name, make) => {
    const brought = await make()
    const email = await bring(brought)
    const before = await userOf(email)
    expect(before.password_hash).toBe(brought)
    const wrong = await attempt(email, `${PASSWORD}!`)
    expect([wrong.status, cookieOf(wrong)]).toEqual([401, ''])
    expect(await wrong.json()).toMatchObject({ error: 'INVALID_CREDENTIALS' })
    expect((await userOf(email)).password_hash).toBe(brought)

    expect(await statusOf(email, PASSWORD)).toBe(200)
    const after = await userOf(email)
    expect(after.password_hash).toMatch(OURS)
    expect(after).toEqual({ ...before, password_hash: after.password_hash })

    expect(await statusOf(email, PASSWORD)).toBe(200)
    expect(await statusOf(email, `${PASSWORD}!`)).toBe(401)
    expect((await userOf(email)).password_hash).toBe(after.password_hash)
  },
)

/** Published by others: the reference code, RFCs, and the test suites of Django, passlib and crypt_blowfish. */
test.each([
  ['password', '$argon2i$v=19$m=256,t=2,p=2$c29tZXNhbHQ$T/XOJ2mh1/TIpJHfCdQan76Q5esCFVoT5MAeIM1Oq2E'],
  ['password', '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ'],
  ['password', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
  ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['U*U', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  [
    'password',
    '$scrypt$ln=10,r=8,p=16$TmFDbA$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCSedmDDaxyevuUqD7m2DYMvfoswGQA',
  ],
  ['password', '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E'],
  [
    'Password',
    '$pbkdf2-sha256$i=80000$TmFDbA$TdzY9guYviGDDO5e8icB+WQaRBjQTAQUrv8Ih2s0q1ah1CWhIlgzVJrbhBtRybMXaicr3ruh0HhHj2Kzl/M8jQ',
  ],
  ['password', '$pbkdf2-sha256$1212$4vjV83LKPjQzk31VI4E0Vw$hsYF68OiOUPdDZ1Fg.fJPeq1h/gXXY7acBp9/6c.tmQ'],
  [
    'password',
    '$pbkdf2-sha512$1212$RHY0Fr3IDMSVO/RSZyb5ow$eNLfBK.eVozomMr.1gYa17k9B7KIK25NOEshvhrSX.esqY3s.FvWZViXz4KoLlQI.BzY/YTNJOiKc5gBYFYGww',
  ],
  ['lètmein', 'pbkdf2_sha256$216000$seasalt$youGZxOw6ZOcfrXv2i8/AhrnpZflJJ9EshS9XmUJTUg='],
  ['password', '{SSHA}pKqkNr1tq3wtQqk+UcPyA3HnA2NsU5NJ'],
  ['password', '{SSHA256}x1tymSTVjozxQ2PtT46ysrzhZxbcskK0o2f8hEFx7fAQQmhtDSEkJA=='],
  // Made with Python's hashlib.
  [
    'Grüße 2026',
    '{SSHA512}aAm5p9z+41Ijjtex0dwUvDnIdSdgQHA9Y7xafaLaR36zV6DF0kYLWhVbkt92GqHhL9DW9kgvL+2Pod58H5FBSQARIjNEVWZ3',
  ],
  ['lètmein', 'sha1$seasalt$cff36ea83f5706ce9aa7454e63e431fc726b2dc8'],
  ['lètmein', 'sha256$seasalt$e0327e0c88846ec7f85601380e86c72a5242e3455a1ae0f736f349858f126eb9'],
])('%s opens %s', async (password, known) => {
  expect(passwordHashProblem(known)).toBeUndefined()
  expect(await matchesHash(known, password)).toBe(true)
  expect(await matchesHash(known, `${password}x`)).toBe(false)
})

test('a password that another system took as typed opens the account as typed and as normalised', async () => {
  const decomposed = 'cafe\u0301 au lait'
  const email = await bring(await bcrypt(decomposed, { cost: 4 }))
  expect(await statusOf(email, decomposed.normalize('NFC'))).toBe(401)
  expect(await statusOf(email, decomposed)).toBe(200)
  expect(await statusOf(email, decomposed.normalize('NFC'))).toBe(200)
  const composed = await bring(await bcrypt(decomposed.normalize('NFC'), { cost: 4 }))
  expect(await statusOf(composed, decomposed)).toBe(200)
})

test('several sign-ins at once with a brought hash all succeed, and one fresh hash stays', async () => {
  const email = await bring(await bcrypt(PASSWORD, { cost: 4 }))
  const statuses = await Promise.all(Array.from({ length: 5 }, () => statusOf(email, PASSWORD)))
  expect(statuses).toEqual([200, 200, 200, 200, 200])
  expect((await userOf(email)).password_hash).toMatch(OURS)
  expect(await statusOf(email, PASSWORD)).toBe(200)
})

const DIGEST = bare64(randomBytes(32))
const COSTLY: [string, string][] = [
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
  ['work', `$pbkdf2-sha256$7500000$c29tZXNhbHQ$${bare64(randomBytes(64))}`],
]

/** What earlier releases accepted: not brought along any more, and still good where it is stored. */
const FORMERLY_ACCEPTED: [string, string][] = [
  ['memory', `$argon2id$v=19$m=262144,t=1,p=1$c29tZXNhbHQ$${DIGEST}`],
  ['work', `$argon2id$v=19$m=131072,t=8,p=1$c29tZXNhbHQ$${DIGEST}`],
  ['work', `$2b$14$${'C'.repeat(21)}.${'C'.repeat(31)}`],
  ['memory', `$scrypt$ln=18,r=8,p=1$c29tZXNhbHQ$${DIGEST}`],
  ['work', `$scrypt$ln=16,r=8,p=4$c29tZXNhbHQ$${DIGEST}`],
  ['work', `pbkdf2_sha256$5000000$salt$${DIGEST}=`],
  ['work', `$pbkdf2-sha512$i=1000000$c29tZXNhbHQ$${DIGEST}`],
]

/** What other systems use today. */
const COMMON = [
  `$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$${DIGEST}`,
  `$argon2id$v=19$m=47104,t=1,p=1$c29tZXNhbHQ$${DIGEST}`,
  `$2b$12$${'C'.repeat(21)}.${'C'.repeat(31)}`,
  `$2b$13$${'C'.repeat(21)}.${'C'.repeat(31)}`,
  `$scrypt$ln=17,r=8,p=1$c29tZXNhbHQ$${DIGEST}`,
  `pbkdf2_sha256$1200000$salt$${DIGEST}=`,
  `$pbkdf2-sha512$i=210000$c29tZXNhbHQ$${DIGEST}`,
]

const GARBAGE = [
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

describe('a declaration', () => {
  test.each(COMMON)('takes what other systems use: %s', (hash) => {
    expect(passwordHashProblem(hash)).toBeUndefined()
  })

  test.each([...COSTLY, ...FORMERLY_ACCEPTED])(
    'is refused when a hash costs too much (%s): %s',
    async (reason, passwordHash) => {
      const email = newAddress()
      const beginning = `The passwordHash of the user ${email} cannot be taken: it takes too much ${reason} `
      await expect(declare({ email, passwordHash })).rejects.toMatchObject({
        name: 'OperatorError',
        message: expect.stringMatching(new RegExp(`^${beginning}`)),
      })
    },
  )

  test.each(GARBAGE)('is refused when a hash makes no sense: %j', async (passwordHash) => {
    const email = newAddress()
    await expect(declare({ email, passwordHash })).rejects.toThrow(
      `The passwordHash of the user ${email} cannot be taken: it is of no known form`,
    )
  })

  test('is refused when it gives a person a password and a hash', async () => {
    const user = { email: 'Both@example.test', password: 'a long enough one', passwordHash: '{SSHA}AAAA' }
    await expect(declare(user)).rejects.toThrow(
      'The user both@example.test is declared with a password and a passwordHash: one will do.',
    )
  })

  test('does not bring back an old hash for somebody who is here', async () => {
    const brought = await bcrypt(PASSWORD, { cost: 4 })
    const email = await bring(brought)
    expect(await statusOf(email, PASSWORD)).toBe(200)
    expect(await declare({ email, passwordHash: brought })).toBe('Nothing to change.')
    expect((await userOf(email)).password_hash).toMatch(OURS)
  })

  test('says whether a password opens the account, and may change its mind', async () => {
    const email = newAddress()
    const plan = await declare({ email, password: PASSWORD, passwordSignIn: false })
    expect(plan).toContain(`+ user ${email}\n      passwordSignIn: false\n      password: (hidden)\n`)
    const refused = await attempt(email, PASSWORD)
    expect([refused.status, cookieOf(refused)]).toEqual([401, ''])
    expect(await refused.json()).toMatchObject({ error: 'INVALID_CREDENTIALS' })
    expect(await declare({ email, passwordSignIn: true })).toContain('passwordSignIn: false → true')
    expect(await statusOf(email, PASSWORD)).toBe(200)
    expect(await declare({ email })).toBe('Nothing to change.')
    await declare({ email, passwordSignIn: false })
    expect(await statusOf(email, PASSWORD)).toBe(401)
  })
})

test('the hash of somebody whom a password does not let in is left as it is', async () => {
  const brought = await bcrypt(PASSWORD, { cost: 4 })
  const email = newAddress()
  await declare({ email, passwordHash: brought, passwordSignIn: false })
  expect(await statusOf(email, PASSWORD)).toBe(401)
  expect((await userOf(email)).password_hash).toBe(brought)
})

test('a stored hash that is damaged or too costly is a wrong password, at once and without a fault', async () => {
  const email = newAddress()
  await declare({ email })
  for (const password_hash of [...GARBAGE, ...COSTLY.map(([, hash]) => hash)]) {
    await service.ctx.db.updateTable('users').set({ password_hash }).where('email', '=', email).execute()
    await service.ctx.db.deleteFrom('throttle' as never).execute()
    expect([password_hash.slice(0, 60), await statusOf(email, 'any password')]).toEqual([
      password_hash.slice(0, 60),
      401,
    ])
  }
})

test('a stored hash that is not accepted any more still lets its person in, and is replaced', async () => {
  const email = newAddress()
  await declare({ email })
  const password_hash = await argon2(PASSWORD, { memoryCost: 262_144, timeCost: 1 })
  expect(passwordHashProblem(password_hash)).toBe('it takes too much memory (more than 128 MiB) to verify.')
  await service.ctx.db.updateTable('users').set({ password_hash }).where('email', '=', email).execute()
  expect(await statusOf(email, PASSWORD)).toBe(200)
  expect((await userOf(email)).password_hash).toMatch(OURS)
})

/** As if PASSWORD_HASH_MEMORY_MIB were this for the rest of the test. */
function useMemory(memoryMib: number): void {
  const before = hashSettings()
  setHashSettings({ ...before, memoryMib })
  onTestFinished(() => setHashSettings(before))
}

test('hashes follow the memory that is set: the next sign-in replaces what was made with another', async () => {
  const email = newAddress()
  await declare({ email, password: PASSWORD })
  expect((await userOf(email)).password_hash).toContain('$m=1024,')
  for (const memoryMib of [2, 1]) {
    useMemory(memoryMib)
    expect(await statusOf(email, `${PASSWORD}!`)).toBe(401)
    expect(await statusOf(email, PASSWORD)).toBe(200)
    expect((await userOf(email)).password_hash).toContain(`$m=${memoryMib * 1_024},`)
  }
})

test('a hash that takes no time is as slow to guess at as an account that does not exist', async () => {
  // With the memory of production, so that hashing takes most of the time.
  useMemory(19)
  const email = await bring(`sha1$a1b2c$${sha('sha1', 'a1b2c', PASSWORD).toString('hex')}`)
  const compare = async () => {
    const times: Record<string, number[]> = { [email]: [], 'nobody@example.test': [] }
    // By turns: whatever else keeps the machine busy slows both.
    for (let round = 0; round < 9; round++) {
      for (const [address, taken] of Object.entries(times)) {
        const started = performance.now()
        await attempt(address, 'a wrong password')
        taken.push(performance.now() - started)
      }
    }
    const [known = 0, unknown = 0] = Object.values(times).map((taken) => taken.sort((a, b) => a - b)[4])
    return Math.abs(Math.log2(known / unknown))
  }
  await attempt(newAddress(), 'warm up')
  // Neither takes twice as long as the other. A machine that is busy for a moment is asked again.
  let difference = await compare()
  for (let again = 0; again < 3 && difference >= 1; again++) difference = await compare()
  expect(difference).toBeLessThan(1)
})
