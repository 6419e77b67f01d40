import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hash as argon2 } from '@node-rs/argon2'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { applyChanges, describeChanges, planChanges, readDeclaration } from '../../src/declaration/apply.ts'
import { getHashSettings, setHashSettings } from '../../src/lib/hash-settings.ts'
import { matchesHash, passwordHashProblem } from '../../src/users/password-hashes.ts'
import { tempFolder } from '../support/program.ts'
import { startService, type TestService } from '../support/service.ts'
import { cookieOf } from '../support/world.ts'
import { COMMON, CREATED, FORMERLY_ACCEPTED, MALFORMED, PASSWORD, sha, TOO_EXPENSIVE } from './hash-samples.ts'

let service: TestService
const folder = tempFolder()
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Applies a declaration of users and returns the plan. */
async function declare(...users: object[]): Promise<string> {
  const file = join(folder, 'declaration.yaml')
  writeFileSync(file, JSON.stringify({ users }))
  const changes = await planChanges(service.ctx, sections, readDeclaration(file, sections))
  await applyChanges(service.ctx, changes)
  return describeChanges(changes)
}

let userCount = 0
const newAddress = () => `person-${userCount++}@example.test`

async function importUser(passwordHash: string): Promise<string> {
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

const CURRENT_FORMAT = /^\$argon2id\$v=19\$m=1024,t=2,p=1\$/

test.each(CREATED)('%s: only the right password signs in, and its hash is upgraded', async (_name, make) => {
  const importedHash = await make()
  const email = await importUser(importedHash)
  const before = await userOf(email)
  expect(before.password_hash).toBe(importedHash)
  const wrong = await attempt(email, `${PASSWORD}!`)
  expect([wrong.status, cookieOf(wrong)]).toEqual([401, ''])
  expect(await wrong.json()).toMatchObject({ error: 'INVALID_CREDENTIALS' })
  expect((await userOf(email)).password_hash).toBe(importedHash)

  expect(await statusOf(email, PASSWORD)).toBe(200)
  const after = await userOf(email)
  expect(after.password_hash).toMatch(CURRENT_FORMAT)
  expect(after).toEqual({ ...before, password_hash: after.password_hash })

  expect(await statusOf(email, PASSWORD)).toBe(200)
  expect(await statusOf(email, `${PASSWORD}!`)).toBe(401)
  expect((await userOf(email)).password_hash).toBe(after.password_hash)
})

/** Published test vectors: the reference code, RFCs, and the test suites of Django, passlib and crypt_blowfish. */
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
  // Created with Python's hashlib.
  [
    'Grüße 2026',
    '{SSHA512}aAm5p9z+41Ijjtex0dwUvDnIdSdgQHA9Y7xafaLaR36zV6DF0kYLWhVbkt92GqHhL9DW9kgvL+2Pod58H5FBSQARIjNEVWZ3',
  ],
  ['lètmein', 'sha1$seasalt$cff36ea83f5706ce9aa7454e63e431fc726b2dc8'],
  ['lètmein', 'sha256$seasalt$e0327e0c88846ec7f85601380e86c72a5242e3455a1ae0f736f349858f126eb9'],
])('the password %s matches %s', async (password, known) => {
  expect(passwordHashProblem(known)).toBeUndefined()
  expect(await matchesHash(known, password)).toBe(true)
  expect(await matchesHash(known, `${password}x`)).toBe(false)
})

test('an imported hash of an unnormalized password matches it as typed and as normalized', async () => {
  const decomposed = 'cafe\u0301 au lait'
  const email = await importUser(await bcrypt(decomposed, { cost: 4 }))
  expect(await statusOf(email, decomposed.normalize('NFC'))).toBe(401)
  expect(await statusOf(email, decomposed)).toBe(200)
  expect(await statusOf(email, decomposed.normalize('NFC'))).toBe(200)
  const composed = await importUser(await bcrypt(decomposed.normalize('NFC'), { cost: 4 }))
  expect(await statusOf(composed, decomposed)).toBe(200)
})

test('concurrent sign-ins with an imported hash all succeed, and one upgraded hash is stored', async () => {
  const email = await importUser(await bcrypt(PASSWORD, { cost: 4 }))
  const statuses = await Promise.all(Array.from({ length: 5 }, () => statusOf(email, PASSWORD)))
  expect(statuses).toEqual([200, 200, 200, 200, 200])
  expect((await userOf(email)).password_hash).toMatch(CURRENT_FORMAT)
  expect(await statusOf(email, PASSWORD)).toBe(200)
})

describe('a declaration', () => {
  test.each(COMMON)('accepts common hash parameters: %s', (hash) => {
    expect(passwordHashProblem(hash)).toBeUndefined()
  })

  test.each([...TOO_EXPENSIVE, ...FORMERLY_ACCEPTED])(
    'is refused when a hash takes too much %s: %s',
    async (reason, passwordHash) => {
      const email = newAddress()
      const beginning = `The passwordHash of the user ${email} cannot be taken: it takes too much ${reason} `
      await expect(declare({ email, passwordHash })).rejects.toMatchObject({
        name: 'OperatorError',
        message: expect.stringMatching(new RegExp(`^${beginning}`)),
      })
    },
  )

  test.each(MALFORMED)('is refused when a hash is malformed: %j', async (passwordHash) => {
    const email = newAddress()
    await expect(declare({ email, passwordHash })).rejects.toThrow(
      `The passwordHash of the user ${email} cannot be taken: it is of no known form`,
    )
  })

  test('is refused when a user has both a password and a hash', async () => {
    const user = { email: 'Both@example.test', password: 'a long enough one', passwordHash: '{SSHA}AAAA' }
    await expect(declare(user)).rejects.toThrow(
      'The user both@example.test is declared with a password and a passwordHash: one will do.',
    )
  })

  test('does not replace the password of an existing user', async () => {
    const importedHash = await bcrypt(PASSWORD, { cost: 4 })
    const email = await importUser(importedHash)
    expect(await statusOf(email, PASSWORD)).toBe(200)
    expect(await declare({ email, passwordHash: importedHash })).toBe('Nothing to change.')
    expect((await userOf(email)).password_hash).toMatch(CURRENT_FORMAT)
  })

  test('sets and changes whether password sign-in is allowed', async () => {
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

test('the hash of an account without password sign-in is not upgraded', async () => {
  const importedHash = await bcrypt(PASSWORD, { cost: 4 })
  const email = newAddress()
  await declare({ email, passwordHash: importedHash, passwordSignIn: false })
  expect(await statusOf(email, PASSWORD)).toBe(401)
  expect((await userOf(email)).password_hash).toBe(importedHash)
})

test('a stored hash that is damaged or too expensive fails like a wrong password, fast and without an error', async () => {
  const email = newAddress()
  await declare({ email })
  for (const password_hash of [...MALFORMED, ...TOO_EXPENSIVE.map(([, hash]) => hash)]) {
    await service.ctx.db.updateTable('users').set({ password_hash }).where('email', '=', email).execute()
    await service.ctx.db.deleteFrom('throttle' as never).execute()
    expect([password_hash.slice(0, 60), await statusOf(email, 'any password')]).toEqual([
      password_hash.slice(0, 60),
      401,
    ])
  }
})

test('a stored hash above the import limits still signs in, and is upgraded', async () => {
  const email = newAddress()
  await declare({ email })
  const password_hash = await argon2(PASSWORD, { memoryCost: 262_144, timeCost: 1 })
  expect(passwordHashProblem(password_hash)).toBe('it takes too much memory (more than 128 MiB) to verify.')
  await service.ctx.db.updateTable('users').set({ password_hash }).where('email', '=', email).execute()
  expect(await statusOf(email, PASSWORD)).toBe(200)
  expect((await userOf(email)).password_hash).toMatch(CURRENT_FORMAT)
})

/** Sets PASSWORD_HASH_MEMORY_MIB for the rest of the test. */
function useMemory(memoryMib: number): void {
  const before = getHashSettings()
  setHashSettings({ ...before, memoryMib })
  onTestFinished(() => setHashSettings(before))
}

test('hashes follow the configured memory: the next sign-in upgrades a hash with another setting', async () => {
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

test('a wrong password takes as long for a cheap imported hash as for an unknown account', async () => {
  // Uses the memory setting of production, so that hashing dominates the time.
  useMemory(19)
  const email = await importUser(`sha1$a1b2c$${sha('sha1', 'a1b2c', PASSWORD).toString('hex')}`)
  const compare = async () => {
    const times: Record<string, number[]> = { [email]: [], 'nobody@example.test': [] }
    // Alternates, so that other load slows both.
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
  // Neither takes twice as long as the other. Retried because of load peaks.
  let difference = await compare()
  for (let again = 0; again < 3 && difference >= 1; again++) difference = await compare()
  expect(difference).toBeLessThan(1)
})
