import { createHash, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto'
import { hash as argon2 } from '@node-rs/argon2'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPerson, call, logIn } from '../account/people.ts'
import { entriesIn, findInvitation, membershipsOf, openHouse } from '../invitations/desk.ts'
import type { Host } from '../invitations/guests.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { bring, csv, jsonLines } from './rows.ts'

let service: TestService
let host: Host
beforeAll(async () => {
  service = await startWorld()
  host = await openHouse(service)
})
afterAll(() => service.close())

const userOf = (email: string) =>
  service.ctx.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
const importedOf = async (email: string) => {
  const { id = '' } = (await userOf(email)) ?? {}
  return service.ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'actor_kind', 'details', 'personal'])
    .where('user_id', '=', id)
    .where('action', '=', 'user.imported')
    .execute()
}

const PASSWORD = 'the password they had before'
const salt = randomBytes(16)
const bare64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
const OURS = /^\$argon2id\$v=19\$m=1024,t=2,p=1\$/

test('a file of commas brings people along, with all that is known of them', async () => {
  const file =
    '\ufeffEmail,email_verified,First Name,family-name,Name,passwordHash,locale,time zone,phone_number,blocked,picture\r\n' +
    'Ann@Import.test,true,"Ann, the ""first""",Öhm,Ann Ö,,de-de,Europe/Berlin,+49 30 123456,no,https://i.example/a.png\r\n' +
    '\r\nbo@import.test,,,,,,,,,true,'
  expect(await bring(service.ctx, csv(file))).toEqual({
    ...{ imported: 2, updated: 0, skipped: 0, failed: 0, problems: [] },
  })
  expect(await userOf('ann@import.test')).toMatchObject({
    ...{ email_verified: true, given_name: 'Ann, the "first"', family_name: 'Öhm', display_name: 'Ann Ö' },
    ...{ locale: 'de-DE', zoneinfo: 'Europe/Berlin', phone: '+49 30 123456', disabled: false },
    ...{ password_hash: null, is_super_admin: false, picture_url: 'https://i.example/a.png' },
  })
  expect(await userOf('bo@import.test')).toMatchObject({ disabled: true, email_verified: true })
  expect(await importedOf('ann@import.test')).toEqual([
    {
      ...{ action: 'user.imported', actor_kind: 'system', personal: { email: 'ann@import.test' } },
      details: { emailVerified: true, hasPassword: false, disabled: false },
    },
  ])
})

test('T110: a name that somebody had elsewhere comes along as it is, also with a web address', async () => {
  const email = 'named@import.test'
  const displayName = 'Ann (www.ann.test)'
  expect(await bring(service.ctx, jsonLines({ email, displayName }))).toMatchObject({
    imported: 1,
    failed: 0,
  })
  expect(await userOf(email)).toMatchObject({ display_name: displayName })
})

describe('the password they had lets in whoever came with its hash, which is then made anew', () => {
  test.each<[string, () => Promise<string> | string]>([
    ['bcrypt', () => bcrypt(PASSWORD, { cost: 6 })],
    ['argon2', () => argon2(PASSWORD, { algorithm: 1, memoryCost: 8_192, timeCost: 2 })],
    [
      'PBKDF2',
      () => `pbkdf2_sha256$9000$NaCl$${pbkdf2Sync(PASSWORD, 'NaCl', 9_000, 32, 'sha256').toString('base64')}`,
    ],
    [
      'scrypt',
      () => `$scrypt$ln=12,r=8,p=1$${bare64(salt)}$${bare64(scryptSync(PASSWORD, salt, 32, { N: 4096 }))}`,
    ],
    [
      'SSHA',
      () => {
        const digest = createHash('sha1').update(PASSWORD).update(salt).digest()
        return `{SSHA}${Buffer.concat([digest, salt]).toString('base64')}`
      },
    ],
  ])('%s', async (kind, make) => {
    const email = `${kind.toLowerCase()}@hashes.test`
    const passwordHash = await make()
    expect(await bring(service.ctx, jsonLines({ email, passwordHash }))).toMatchObject({
      imported: 1,
      failed: 0,
    })
    expect((await logIn(service.url, email, 'another password')).status).toBe(401)
    expect((await userOf(email))?.password_hash).toBe(passwordHash)
    expect((await logIn(service.url, email, PASSWORD)).status).toBe(200)
    expect((await userOf(email))?.password_hash).toMatch(OURS)
    expect((await logIn(service.url, email, PASSWORD)).status).toBe(200)
  })
})

test('rows that cannot be used are told by their line, without what stands in them, and the others go on', async () => {
  const costly = `$2b$31$${'C'.repeat(53)}`
  const lines = [
    'email,emailVerified,passwordHash,givenName,disabled,tenant,role,locale',
    'nope,,secret-in-the-wrong-place,,,,,',
    'fine@rows.test,,,Fine,,,,',
    `dear@rows.test,,${costly},,,,,`,
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
  const { problems, ...tally } = await bring(service.ctx, csv(lines.join('\n')))
  expect(tally).toEqual({ imported: 2, updated: 0, skipped: 0, failed: 14 })
  const told = problems.toSorted((a, b) => a.line - b.line)
  expect(told.map(({ line, email }) => [line, email])).toEqual([
    ...[
      [2, undefined],
      [4, 'dear@rows.test'],
      [5, 'plain@rows.test'],
      [6, 'long@rows.test'],
    ],
    ...[
      [7, 'fine@rows.test'],
      [8, 'fine@rows.test'],
      [9, 'flag@rows.test'],
      [10, undefined],
    ],
    ...[
      [11, 'gone@rows.test'],
      [12, 'role@rows.test'],
      [13, 'lone@rows.test'],
      [14, 'nobody@rows.test'],
    ],
    ...[
      [15, 'early@rows.test'],
      [16, 'tongue@rows.test'],
    ],
  ])
  const reasons = told.map(({ reason }) => reason)
  expect(reasons[0]).toBe('email is no e-mail address')
  expect(reasons[1]).toMatch(/^passwordHash cannot be taken: it takes too much work/)
  expect(reasons[2]).toMatch(/^passwordHash cannot be taken: it is of no known form/)
  expect(reasons.slice(3)).toEqual([
    'givenName must have 1 to 100 characters, none of them a control character',
    ...['stands in the file before', 'stands in the file before', 'emailVerified must be true or false'],
    'has 2 values, but there are 8 columns',
    ...['there is no such tenant', 'role must be owner, admin or member', 'role is given without a tenant'],
    'has neither a verified address nor a passwordHash: nobody could sign in',
    'cannot be a member of a tenant before the address is verified',
    'locale must be a language tag such as de-DE',
  ])
  expect(JSON.stringify(problems)).not.toMatch(/CCCC|hunter2|wrong-place/)
  expect(await userOf('last@rows.test')).toMatchObject({ given_name: 'Last' })
})

test('a file whose columns are not understood is refused before its first row', async () => {
  const refused = (text: string) => expect(bring(service.ctx, csv(text))).rejects
  await refused('email,superAdmin\na@super.test,true').toThrow('The column "superAdmin" is not known.')
  await refused('email,pasword_hash\na@super.test,x').toThrow('The column "pasword_hash" is not known.')
  await refused('givenName\nAnn').toThrow('There is no column "email".')
  await refused('email,name,displayName\na@super.test,A,B').toThrow('Two columns are the displayName.')
  await refused('').toThrow('The file has no row of column names.')
  expect(await userOf('a@super.test')).toBeUndefined()
})

test('nobody becomes a Super Admin by JSON either, and broken lines are told of', async () => {
  const { problems, ...tally } = await bring(
    service.ctx,
    jsonLines(
      ...[{ email: 'a@json.test', superAdmin: true }, '{"email": "b@json.test"', '', '[1]'],
      ...[
        { email: 'c@json.test', emailVerified: true, givenName: null },
        { email: 'd@json.test', disabled: 'maybe' },
      ],
      ...[{ email: 'e@json.test', givenName: 5 }, '{"email":"f@json.test","email":"g@json.test"}'],
      ...[`{"email":"${'x'.repeat(70_000)}"}`, { email: 'h@json.test', given_name: 'H', givenName: 'H' }],
    ),
  )
  expect(tally).toMatchObject({ imported: 1, failed: 8 })
  expect(problems.map(({ line, reason }) => [line, reason])).toEqual([
    [1, 'has a field that is not known: "superAdmin"'],
    [2, 'is not valid JSON'],
    [4, 'is no JSON object'],
    [6, 'disabled must be true or false'],
    [7, 'givenName must be a text'],
    [8, 'is not valid JSON'],
    [9, 'is longer than 65536 bytes'],
    [10, 'says twice what the givenName is'],
  ])
})

test.each([
  [
    'bytes that are no UTF-8',
    Buffer.from('email,name\na@bytes.test,\xff\xfe\nok1@bytes.test,Ok', 'latin1'),
    2,
  ],
  ['a quotation mark within a value', 'email,name\na@bytes.test,x"y\nok2@bytes.test,Ok', 2],
  ['text after a quotation mark', 'email,name\na@bytes.test,"x"y\nok3@bytes.test,Ok', 2],
  ['a row without end', `email,name\na@bytes.test,${'x'.repeat(70_000)}\nok4@bytes.test,Ok`, 2],
])('%s spoils its own row only', async (_, file, line) => {
  const { problems, imported } = await bring(service.ctx, csv(file))
  expect(problems).toEqual([{ line, reason: expect.any(String) }])
  expect(imported).toBe(1)
})

describe('people who are here already', () => {
  test('are left as they are, or brought up to date, and keep their password', async () => {
    const { email, id } = await addPerson(service)
    const before = await userOf(email)
    const passwordHash = await bcrypt('somebody else', { cost: 4 })
    const row = {
      email,
      givenName: 'Changed',
      passwordHash,
      emailVerified: true,
      disabled: false,
      tenant: 'acme',
    }
    expect(await bring(service.ctx, jsonLines(row))).toMatchObject({ imported: 0, skipped: 1, failed: 0 })
    expect(await userOf(email)).toEqual(before)
    expect(await membershipsOf(service, id)).toEqual([])
    expect(await bring(service.ctx, jsonLines(row), { onConflict: 'update' })).toMatchObject({ updated: 1 })
    expect(await userOf(email)).toMatchObject({
      ...{ id, given_name: 'Changed', password_hash: before?.password_hash },
    })
    expect(await membershipsOf(service, id)).toMatchObject([{ role: 'member', status: 'ACTIVE' }])
    expect(await bring(service.ctx, jsonLines(row), { onConflict: 'update' })).toMatchObject({
      updated: 0,
      skipped: 1,
    })
    expect(await importedOf(email)).toEqual([])
  })

  test('only as somebody who was invited, or never proved the address, become who is imported', async () => {
    const invited = await host.invite()
    const passwordHash = await bcrypt(PASSWORD, { cost: 4 })
    const squatted = { email: 'squatted@import.test', password: 'of whoever came first' }
    await call(`${service.url}/api/auth/register`, { method: 'POST', body: squatted })
    const rows = jsonLines(
      { email: invited.email, passwordHash, tenant: host.tenant.slug, role: 'admin' },
      { email: squatted.email, passwordHash },
    )
    expect(await bring(service.ctx, rows)).toMatchObject({ imported: 2, failed: 0 })
    const { id = '' } = (await userOf(invited.email)) ?? {}
    expect(await membershipsOf(service, id)).toMatchObject([{ role: 'admin', status: 'ACTIVE' }])
    expect(await findInvitation(service, invited.id)).toMatchObject({ status: 'REVOKED' })
    const added = (await entriesIn(service, host, 'member.added')).filter((entry) => entry.user_id === id)
    expect(added).toHaveLength(1)
    expect((await logIn(service.url, squatted.email, squatted.password)).status).toBe(401)
    expect((await logIn(service.url, squatted.email, PASSWORD)).status).toBe(200)
    expect(await importedOf(squatted.email)).toHaveLength(1)
  })

  test.each<[string, 'skip' | 'update', boolean]>([
    ['a Super Admin', 'skip', true],
    ['a Super Admin', 'update', true],
    ['an active member', 'skip', false],
    ['an active member', 'update', false],
  ])('without a proven address make no way as %s (%s)', async (_, onConflict, isSuperAdmin) => {
    const { email, id } = await addPerson(service)
    const { db } = service.ctx
    if (!isSuperAdmin)
      await bring(service.ctx, jsonLines({ email, tenant: 'acme' }), { onConflict: 'update' })
    const change = { email_verified: false, is_super_admin: isSuperAdmin }
    await db.updateTable('users').set(change).where('id', '=', id).execute()
    const before = await userOf(email)
    const row = { email, passwordHash: await bcrypt(PASSWORD, { cost: 4 }), tenant: host.tenant.slug }
    const options = { onConflict }
    const foreseen = await bring(service.ctx, jsonLines(row), { ...options, dryRun: true })
    expect(foreseen).toMatchObject({ imported: 0, failed: 1 })
    expect(foreseen.problems[0]?.reason).toMatch(/^somebody has rights here under this address/)
    expect(await bring(service.ctx, jsonLines(row), options)).toEqual(foreseen)
    expect(await userOf(email)).toEqual(before)
    expect(await membershipsOf(service, id)).toHaveLength(isSuperAdmin ? 0 : 1)
    await db.updateTable('users').set({ is_super_admin: false }).where('id', '=', id).execute()
  })

  test('and may not become what a row says spoil that row only', async () => {
    const { db } = service.ctx
    const { email, id } = await addPerson(service)
    const others = await db.selectFrom('users').select('id').where('is_super_admin', '=', true).execute()
    await db.updateTable('users').set({ is_super_admin: true }).where('id', '=', id).execute()
    const ids = others.map((other) => other.id)
    if (ids.length > 0)
      await db.updateTable('users').set({ is_super_admin: false }).where('id', 'in', ids).execute()
    const rows = jsonLines(
      { email, disabled: true, givenName: 'Last', tenant: 'acme' },
      { email: 'beside@import.test', tenant: 'acme' },
    )
    const { problems, ...tally } = await bring(service.ctx, rows, { onConflict: 'update' })
    expect(tally).toEqual({ imported: 1, updated: 0, skipped: 0, failed: 1 })
    expect(problems).toEqual([
      {
        ...{ line: 1, email },
        reason: 'This is the last Super Admin who can sign in. Make somebody else one first',
      },
    ])
    expect(await userOf(email)).toMatchObject({ disabled: false, given_name: null })
    expect(await membershipsOf(service, id)).toEqual([])
    expect(await userOf('beside@import.test')).toBeDefined()
    if (ids.length > 0)
      await db.updateTable('users').set({ is_super_admin: true }).where('id', 'in', ids).execute()
  })

  test('and are about to be deleted cannot be imported', async () => {
    const { email, id } = await addPerson(service)
    await service.ctx.db
      .updateTable('users')
      .set({ deletion_requested_at: new Date() })
      .where('id', '=', id)
      .execute()
    const { problems } = await bring(service.ctx, jsonLines({ email, tenant: 'acme' }), {
      onConflict: 'update',
    })
    expect(problems).toEqual([{ line: 1, email, reason: 'the account is about to be deleted' }])
  })
})

test('somebody whose address nobody has proven must still prove it, and comes no second time', async () => {
  const row = {
    email: 'unproven@import.test',
    emailVerified: false,
    passwordHash: await bcrypt(PASSWORD, { cost: 4 }),
  }
  expect(await bring(service.ctx, jsonLines(row))).toMatchObject({ imported: 1 })
  expect(await userOf(row.email)).toMatchObject({ email_verified: false, contested: true })
  expect(await bring(service.ctx, jsonLines(row))).toMatchObject({ imported: 0, skipped: 1 })
})

test('a dry run says the same and changes nothing', async () => {
  const rows = () => jsonLines({ email: 'dry@import.test' }, { email: 'mia@acme.test' }, { email: 'no' })
  const count = () => service.ctx.db.selectFrom('users').select('id').orderBy('id').execute()
  const before = await count()
  const foreseen = await bring(service.ctx, rows(), { dryRun: true })
  expect(await count()).toEqual(before)
  expect(foreseen).toMatchObject({ imported: 1, skipped: 1, failed: 1 })
  expect(await bring(service.ctx, rows())).toEqual(foreseen)
})

test('two imports of the same people at once make each of them once', async () => {
  const people = Array.from({ length: 1_200 }, (_, index) => ({
    ...{ email: `twin-${index}@import.test`, tenant: 'acme' },
  }))
  const results = await Promise.all([
    bring(service.ctx, jsonLines(...people)),
    bring(service.ctx, jsonLines(...people.toReversed())),
  ])
  expect(results[0].imported + results[1].imported).toBe(1_200)
  expect(results[0].skipped + results[1].skipped).toBe(1_200)
  const { count } = await service.ctx.db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('users.email', 'like', 'twin-%')
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(1_200)
})
