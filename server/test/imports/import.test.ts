import { createHash, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto'
import { hash as argon2 } from '@node-rs/argon2'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { csv, findUser, importRows, jsonLines, listImportEvents } from './rows.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const PASSWORD = 'the password they had before'
const salt = randomBytes(16)
const unpaddedBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
const CURRENT_HASH = /^\$argon2id\$v=19\$m=1024,t=2,p=1\$/

test('a CSV file imports users with all known fields', async () => {
  const file =
    '\ufeffEmail,email_verified,First Name,family-name,Name,passwordHash,locale,time zone,phone_number,blocked,picture\r\n' +
    'Ann@Import.test,true,"Ann, the ""first""",Öhm,Ann Ö,,de-de,Europe/Berlin,+49 30 123456,no,https://i.example/a.png\r\n' +
    '\r\nbo@import.test,,,,,,,,,true,'
  expect(await importRows(service.ctx, csv(file))).toEqual({
    imported: 2,
    updated: 0,
    skipped: 0,
    failed: 0,
    problems: [],
  })
  expect(await findUser(service.ctx, 'ann@import.test')).toMatchObject({
    email_verified: true,
    given_name: 'Ann, the "first"',
    family_name: 'Öhm',
    display_name: 'Ann Ö',
    locale: 'de-DE',
    zoneinfo: 'Europe/Berlin',
    phone: '+49 30 123456',
    disabled: false,
    password_hash: null,
    is_super_admin: false,
    picture_url: 'https://i.example/a.png',
  })
  expect(await findUser(service.ctx, 'bo@import.test')).toMatchObject({
    disabled: true,
    email_verified: true,
  })
  expect(await listImportEvents(service.ctx, 'ann@import.test')).toEqual([
    {
      action: 'user.imported',
      actor_kind: 'system',
      personal: { email: 'ann@import.test' },
      details: { emailVerified: true, hasPassword: false, disabled: false },
    },
  ])
})

test('T110: a display name is imported unchanged, also with a web address', async () => {
  const email = 'named@import.test'
  const displayName = 'Ann (www.ann.test)'
  expect(await importRows(service.ctx, jsonLines({ email, displayName }))).toMatchObject({
    imported: 1,
    failed: 0,
  })
  expect(await findUser(service.ctx, email)).toMatchObject({ display_name: displayName })
})

describe('an imported hash accepts the old password and is replaced at the first sign-in', () => {
  test.each<[string, () => Promise<string> | string]>([
    ['bcrypt', () => bcrypt(PASSWORD, { cost: 6 })],
    ['argon2', () => argon2(PASSWORD, { algorithm: 1, memoryCost: 8_192, timeCost: 2 })],
    ['PBKDF2', () => `pbkdf2_sha256$9000$NaCl$${pbkdf2Sync(PASSWORD, 'NaCl', 9_000, 32, 'sha256').toString('base64')}`],
    [
      'scrypt',
      () =>
        `$scrypt$ln=12,r=8,p=1$${unpaddedBase64(salt)}$${unpaddedBase64(scryptSync(PASSWORD, salt, 32, { N: 4096 }))}`,
    ],
    [
      'SSHA',
      () => {
        const digest = createHash('sha1').update(PASSWORD).update(salt).digest()
        return `{SSHA}${Buffer.concat([digest, salt]).toString('base64')}`
      },
    ],
  ])('%s', async (kind, createHashText) => {
    const email = `${kind.toLowerCase()}@hashes.test`
    const passwordHash = await createHashText()
    expect(await importRows(service.ctx, jsonLines({ email, passwordHash }))).toMatchObject({
      imported: 1,
      failed: 0,
    })
    expect((await logIn(service.url, email, 'another password')).status).toBe(401)
    expect((await findUser(service.ctx, email))?.password_hash).toBe(passwordHash)
    expect((await logIn(service.url, email, PASSWORD)).status).toBe(200)
    expect((await findUser(service.ctx, email))?.password_hash).toMatch(CURRENT_HASH)
    expect((await logIn(service.url, email, PASSWORD)).status).toBe(200)
  })
})

test('invalid rows are reported by line without their values, and the other rows are imported', async () => {
  const expensiveHash = `$2b$31$${'C'.repeat(53)}`
  const lines = [
    'email,emailVerified,passwordHash,givenName,disabled,tenant,role,locale',
    'nope,,secret-in-the-wrong-place,,,,,',
    'fine@rows.test,,,Fine,,,,',
    `dear@rows.test,,${expensiveHash},,,,,`,
    'plain@rows.test,,hunter2,,,,,',
    `long@rows.test,,,${'x'.repeat(101)},,,,`,
    'fine@rows.test,,,Again,,,,',
    'FINE@rows.test,,,Again,,,,',
    'flag@rows.test,perhaps,,,,,,',
    'few@rows.test,',
    'gone@rows.test,,,,,no-such-tenant,,',
    'role@rows.test,,,,,acme,king,',
    'lone@rows.test,,,,,,admin,',
    'nobody@rows.test,false,,,,,,',
    `early@rows.test,false,$2b$04$${'C'.repeat(53)},,,acme,,`,
    'tongue@rows.test,,,,,,,Klingon please',
    'last@rows.test,,,Last,,,,',
  ]
  const { problems, ...summary } = await importRows(service.ctx, csv(lines.join('\n')))
  expect(summary).toEqual({ imported: 2, updated: 0, skipped: 0, failed: 14 })
  const sorted = problems.toSorted((a, b) => a.line - b.line)
  expect(sorted.map(({ line, email }) => [line, email])).toEqual([
    [2, undefined],
    [4, 'dear@rows.test'],
    [5, 'plain@rows.test'],
    [6, 'long@rows.test'],
    [7, 'fine@rows.test'],
    [8, 'fine@rows.test'],
    [9, 'flag@rows.test'],
    [10, undefined],
    [11, 'gone@rows.test'],
    [12, 'role@rows.test'],
    [13, 'lone@rows.test'],
    [14, 'nobody@rows.test'],
    [15, 'early@rows.test'],
    [16, 'tongue@rows.test'],
  ])
  const reasons = sorted.map(({ reason }) => reason)
  expect(reasons[0]).toBe('email is not a valid email address')
  expect(reasons[1]).toMatch(/^passwordHash cannot be taken: it takes too much work/)
  expect(reasons[2]).toMatch(/^passwordHash cannot be taken: it is of no known form/)
  expect(reasons.slice(3)).toEqual([
    'givenName must have 1 to 100 characters, none of them a control character',
    'an earlier row has the same address',
    'an earlier row has the same address',
    'emailVerified must be true or false',
    'has 2 values, but there are 8 columns',
    'there is no such tenant',
    'role must be owner, admin or member',
    'role is given without a tenant',
    'has neither a verified address nor a passwordHash: nobody could sign in',
    'cannot be a member of a tenant before the address is verified',
    'locale must be a language tag such as de-DE',
  ])
  expect(JSON.stringify(problems)).not.toMatch(/CCCC|hunter2|wrong-place/)
  expect(await findUser(service.ctx, 'last@rows.test')).toMatchObject({ given_name: 'Last' })
})

test('a file with invalid columns is refused before its first row', async () => {
  const refused = (text: string) => expect(importRows(service.ctx, csv(text))).rejects
  await refused('email,superAdmin\na@super.test,true').toThrow('The column "superAdmin" is not known.')
  await refused('email,pasword_hash\na@super.test,x').toThrow('The column "pasword_hash" is not known.')
  await refused('givenName\nAnn').toThrow('There is no column "email".')
  await refused('email,name,displayName\na@super.test,A,B').toThrow('Two columns name the field displayName.')
  await refused('').toThrow('The file has no row of column names.')
  expect(await findUser(service.ctx, 'a@super.test')).toBeUndefined()
})

test('JSON lines cannot create a Super Admin, and invalid lines are reported', async () => {
  const { problems, ...summary } = await importRows(
    service.ctx,
    jsonLines(
      { email: 'a@json.test', superAdmin: true },
      '{"email": "b@json.test"',
      '',
      '[1]',
      { email: 'c@json.test', emailVerified: true, givenName: null },
      { email: 'd@json.test', disabled: 'maybe' },
      { email: 'e@json.test', givenName: 5 },
      '{"email":"f@json.test","email":"g@json.test"}',
      `{"email":"${'x'.repeat(70_000)}"}`,
      { email: 'h@json.test', given_name: 'H', givenName: 'H' },
    ),
  )
  expect(summary).toMatchObject({ imported: 1, failed: 8 })
  expect(problems.map(({ line, reason }) => [line, reason])).toEqual([
    [1, 'has an unknown field: "superAdmin"'],
    [2, 'is not valid JSON'],
    [4, 'is not a JSON object'],
    [6, 'disabled must be true or false'],
    [7, 'givenName must be a text'],
    [8, 'is not valid JSON'],
    [9, 'is longer than 65536 bytes'],
    [10, 'names the field givenName twice'],
  ])
})

test.each([
  ['invalid UTF-8', Buffer.from('email,name\na@bytes.test,\xff\xfe\nok1@bytes.test,Ok', 'latin1'), 2],
  ['a quotation mark inside a value', 'email,name\na@bytes.test,x"y\nok2@bytes.test,Ok', 2],
  ['text after a closing quotation mark', 'email,name\na@bytes.test,"x"y\nok3@bytes.test,Ok', 2],
  ['a row that is too long', `email,name\na@bytes.test,${'x'.repeat(70_000)}\nok4@bytes.test,Ok`, 2],
])('%s invalidates only its own row', async (_, file, line) => {
  const { problems, imported } = await importRows(service.ctx, csv(file))
  expect(problems).toEqual([{ line, reason: expect.any(String) }])
  expect(imported).toBe(1)
})
