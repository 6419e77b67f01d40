import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readKeycloak } from '../../src/imports/providers/keycloak.ts'
import { tempFolder } from '../support/program.ts'
import { startService, type TestService } from '../support/service.ts'
import {
  dumpState,
  expectSecondFactor,
  expectSignIn,
  fixture,
  listMemberships,
  listTenants,
  reasonsOf,
  runMigration,
  type TestOptions,
  writeExport,
} from './migrations.ts'
import { findUser } from './rows.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** The relevant parts of a file that Keycloak 26.4 has written. */
const REALM = fixture('keycloak-realm.json')
const OPTIONS: TestOptions = {
  application: 'products',
  mappings: { roles: new Map([['team-lead', 'owner']]) },
}

const importFiles = (paths: string[], options: TestOptions = {}, assumeVerified = false) =>
  runMigration(service, (files) => readKeycloak(files, { paths, assumeVerified }), options)

describe('a realm export', () => {
  test('is previewed without a change, and the preview is what the import does', async () => {
    const before = await dumpState(service)
    const preview = await importFiles([REALM], { ...OPTIONS, dryRun: true })
    expect(await dumpState(service)).toEqual(before)
    expect(preview).toMatchObject({
      tenants: { imported: 1, existing: 0, failed: 0 },
      users: { imported: 6, updated: 0, skipped: 0, failed: 1 },
      clients: { imported: 2, updated: 0, existing: 0, failed: 0 },
      tenantsWithoutOwner: [],
      unmapped: [['/staff/berlin', 1]],
    })
    expect(reasonsOf(preview.problems)).toEqual([[undefined, 'the user has no email address']])
    expect(preview.problems[0]?.place).toMatch(/^keycloak-realm\.json, line \d+ \(users\[1\]\)$/)
    expect(reasonsOf(preview.losses)).toEqual([
      [
        'temporary@acme.test',
        'the password is left out: it had to be changed. The user sets one with "Forgot your password?"',
      ],
      [undefined, 'of the client products-web, redirect URIs with a wildcard are left out: add the whole addresses'],
    ])
    expect(await importFiles([REALM], OPTIONS)).toEqual(preview)
  })

  test('imported again changes nothing', async () => {
    const before = await dumpState(service)
    const again = await importFiles([REALM], OPTIONS)
    expect(again).toMatchObject({
      tenants: { imported: 0, existing: 1, failed: 0 },
      users: { imported: 0, updated: 0, skipped: 6, failed: 1 },
      clients: { imported: 0, updated: 0, existing: 2, failed: 0 },
    })
    await importFiles([REALM], { ...OPTIONS, onConflict: 'update' })
    expect(await dumpState(service)).toEqual(before)
  })

  test.each([
    ['argon2', 'ada@acme.test', 'the password of ada 1'],
    ['pbkdf2-sha256', 'pbkdf2-sha256@acme.test', 'the password of pbkdf2-sha256'],
    ['pbkdf2-sha512', 'pbkdf2-sha512@acme.test', 'the password of pbkdf2-sha512'],
  ])('keeps the password: %s', async (_, email, password) => {
    await expectSignIn(service, email, password)
  })

  test('keeps the authenticator app, with its secret encrypted', async () => {
    const secret = new Secret({ buffer: new TextEncoder().encode('dJ3kQ9mZx2Lw7RtB5vYc').buffer as ArrayBuffer }).base32
    const { id = '' } = (await findUser(service.ctx, 'totp@acme.test')) ?? {}
    const stored = await service.ctx.db.selectFrom('totp_secrets').selectAll().executeTakeFirstOrThrow()
    expect(stored).toMatchObject({ user_id: id, confirmed_at: expect.any(Date) })
    expect(service.ctx.keys.unseal('totp', stored.sealed_secret)).toBe(secret)
    expect(stored.sealed_secret.includes(secret)).toBe(false)
    await expectSecondFactor(service, { email: 'totp@acme.test', password: 'the password of tom 1', secret })
  })

  test('keeps organizations, roles, names and whether the user is enabled', async () => {
    expect(await listTenants(service)).toEqual([{ slug: 'acme', name: 'Acme', suspended_at: null }])
    expect(await listMemberships(service, 'ada@acme.test')).toEqual(['acme owner'])
    expect(await listMemberships(service, 'totp@acme.test')).toEqual(['acme member'])
    expect(await listMemberships(service, 'off@acme.test')).toEqual([])
    const ada = { given_name: 'Ada', family_name: 'Argon', email_verified: true, disabled: false }
    expect(await findUser(service.ctx, 'ada@acme.test')).toMatchObject(ada)
    expect(await findUser(service.ctx, 'off@acme.test')).toMatchObject({ disabled: true, password_hash: null })
    expect(await findUser(service.ctx, 'temporary@acme.test')).toMatchObject({ password_hash: null })
  })

  test('keeps clients with their secret and addresses, but no built-in ones', async () => {
    const { db } = service.ctx
    const clients = await db
      .selectFrom('clients')
      .innerJoin('applications', 'applications.id', 'clients.application_id')
      .select(['client_id', 'kind', 'slug', 'redirect_uris', 'allowed_origins', 'post_logout_redirect_uris'])
      .where('built_in', '=', false)
      .orderBy('client_id')
      .execute()
    const [spa, web] = ['http://localhost:5173/callback', 'https://products.test/callback']
    const common = { slug: 'products' }
    expect(clients).toMatchObject([
      { ...common, client_id: 'products-spa', kind: 'SPA', redirect_uris: [spa], post_logout_redirect_uris: [spa] },
      { ...common, client_id: 'products-web', kind: 'WEB', redirect_uris: [web] },
    ])
    expect(clients.map(({ allowed_origins }) => allowed_origins)).toEqual([
      ['http://localhost:5173'],
      ['https://products.test'],
    ])
    const authorization = `Basic ${btoa('products-web:0123456789abcdef0123456789abcdef')}`
    const response = await fetch(`${service.url}/api/oauth/introspect`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams({ token: 'none' }),
    })
    expect(response.status).toBe(200)
  })

  test('records each account and each authenticator app in the audit log, without a secret', async () => {
    const entries = await service.ctx.db.selectFrom('audit_entries').selectAll().execute()
    const countOf = (action: string) => entries.filter((entry) => entry.action === action).length
    expect(countOf('user.imported')).toBe(6)
    expect(countOf('user.totp_enabled')).toBe(1)
    expect(countOf('tenant.created')).toBe(1)
    expect(JSON.stringify(entries)).not.toMatch(/dJ3kQ9mZx2|0123456789abcdef0123|p\/FtEOYqJBD8/)
  })
})

test('a folder with one file for the realm and files for its users gives the same result', async () => {
  const folder = join(tempFolder(), 'export')
  mkdirSync(folder)
  const { users, ...realm } = JSON.parse(readFileSync(REALM, 'utf8'))
  const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content, null, 1))
  write('products-realm.json', realm)
  for (const [index, user] of users.entries())
    write(`products-users-${index}.json`, { realm: 'products', users: [user] })
  writeFileSync(join(folder, 'notes.txt'), 'not a part of the export')
  const result = await importFiles([folder], OPTIONS)
  expect(result.users).toEqual({ imported: 0, updated: 0, skipped: 6, failed: 1 })
  copyFileSync(join(folder, 'products-realm.json'), join(folder, 'other-realm.json'))
  await expect(importFiles([folder])).rejects.toThrow('has the files of 2 realms. Name the files of one realm instead.')
})

const user = (email: string, more: object = {}) => ({
  username: email,
  email,
  emailVerified: true,
  enabled: true,
  ...more,
})
const password = (algorithm: string) => ({
  type: 'password',
  secretData: JSON.stringify({
    value: 'e8XZKU3L/DIrNhtuwWSarcJS9YHDnstOauVC0krHtLY=',
    salt: 'vYPkHv/vBZqbj0vkw1aLBg==',
  }),
  credentialData: JSON.stringify({ hashIterations: 600_000, algorithm }),
})
const otp = (data: object) => ({
  type: 'otp',
  secretData: '{"value":"dJ3kQ9mZx2Lw7RtB5vYc"}',
  credentialData: JSON.stringify({ subType: 'totp', digits: 6, period: 30, algorithm: 'HmacSHA1', ...data }),
})

test('what a user does not get is reported, and the user is imported', async () => {
  const file = writeExport('losses.json', {
    users: [
      user('unknown@losses.test', { credentials: [password('foo')] }),
      user('digits@losses.test', { credentials: [otp({ digits: 8 })] }),
      user('sha256@losses.test', { credentials: [otp({ algorithm: 'HmacSHA256' })] }),
      user('many@losses.test', {
        credentials: [otp({}), otp({}), { type: 'webauthn' }, { type: 'recovery-authn-codes' }],
      }),
      user('actions@losses.test', { requiredActions: ['CONFIGURE_TOTP', 'VERIFY_EMAIL'] }),
      user('profile@losses.test', {
        firstName: 'x'.repeat(101),
        attributes: { locale: ['de'], phoneNumber: ['none'] },
      }),
    ],
  })
  const { users, losses } = await importFiles([file])
  expect(users).toMatchObject({ imported: 6, failed: 0 })
  const otpRule = 'the authenticator app is left out: only codes of 6 digits, 30 seconds and SHA-1 are accepted here'
  expect(reasonsOf(losses)).toEqual([
    ['unknown@losses.test', 'the password is left out: its hash has an unknown algorithm'],
    ['digits@losses.test', otpRule],
    ['sha256@losses.test', otpRule],
    ['many@losses.test', '1 more authenticator apps are left out: a user has one here'],
    ['many@losses.test', '1 passkeys are left out: they only work at the address where they were made'],
    ['many@losses.test', 'the recovery codes are left out: the user makes new ones'],
    ['actions@losses.test', 'the required actions CONFIGURE_TOTP are left out'],
    [
      'profile@losses.test',
      'givenName is left out: it must have 1 to 100 characters, none of them a control character',
    ],
    ['profile@losses.test', 'phone is left out: it must be a telephone number such as +49 30 1234567'],
  ])
  expect(await findUser(service.ctx, 'profile@losses.test')).toMatchObject({ locale: 'de', phone: null })
})

test('an unverified address gets no membership, unless the operator vouches for it', async () => {
  const realm = {
    organizations: [
      { name: 'Vouched', alias: 'vouched', members: [{ username: 'u1@vouch.test' }, { username: 'u2@vouch.test' }] },
    ],
    users: [
      user('u1@vouch.test', { emailVerified: false, credentials: [password('pbkdf2-sha256')] }),
      user('u2@vouch.test', { emailVerified: false }),
    ],
  }
  const file = writeExport('vouch.json', realm)
  const { users, losses, problems } = await importFiles([file])
  expect(users).toMatchObject({ imported: 1, failed: 1 })
  expect(reasonsOf(losses)).toEqual([
    ['u1@vouch.test', 'is not a member of vouched: the address must be verified first'],
  ])
  expect(reasonsOf(problems)).toEqual([
    ['u2@vouch.test', 'has neither a verified address nor a passwordHash: nobody could sign in'],
  ])
  expect(await listMemberships(service, 'u1@vouch.test')).toEqual([])
  expect(await importFiles([file], {}, true)).toMatchObject({ users: { imported: 2, failed: 0 } })
  expect(await listMemberships(service, 'u2@vouch.test')).toEqual(['vouched member'])
})

test('an organization whose tenant is not clear is reported, and the operator can choose one', async () => {
  const organization = (name: string, alias: string, more: object = {}) => ({ name, alias, members: [], ...more })
  const member = user('m@conflict.test')
  const file = writeExport('conflicts.json', {
    organizations: [
      organization('Another Acme', 'acme', { members: [{ username: 'm@conflict.test' }] }),
      organization('Twin', 'twin'),
      organization('Twin Two', 'twin'),
      organization('Login', 'login'),
      organization('https://spam.test', 'spam'),
      organization('Größe & Co', 'Größe!', { enabled: false }),
      { alias: 'nameless' },
    ],
    users: [member],
  })
  const { tenants, problems } = await importFiles([file])
  expect(tenants).toEqual({ imported: 2, existing: 0, failed: 5 })
  const choose = '. Choose one with --map-organization'
  const refusal = (slug: string, reason: string) =>
    `the organization cannot become the tenant "${slug}": ${reason}${choose}`
  expect(problems.map(({ reason }) => reason)).toEqual([
    refusal('acme', 'there is a tenant with this slug and another name'),
    refusal('twin', 'another organization of the export has become it'),
    refusal('login', 'its slug is a reserved word'),
    refusal('spam', 'its name must hold no web address: no scheme such as https://, no www., no domain with a path'),
    'the organization has no name',
  ])
  expect(problems[2]?.place).toMatch(/^conflicts\.json, line \d+ \(organizations\[3\]\)$/)
  expect(await listTenants(service)).toContainEqual({
    slug: 'gro-e-co',
    name: 'Größe & Co',
    suspended_at: expect.any(Date),
  })
  expect(await listMemberships(service, 'm@conflict.test')).toEqual([])
  const organizations = new Map([
    ['Another Acme', 'acme'],
    ['Twin Two', 'twin-two'],
  ])
  const second = await importFiles([file], { onConflict: 'update', mappings: { organizations } })
  expect(second.tenants).toEqual({ imported: 1, existing: 3, failed: 3 })
  expect(await listMemberships(service, 'm@conflict.test')).toEqual(['acme member'])
  expect(await listTenants(service)).toContainEqual({ slug: 'acme', name: 'Acme', suspended_at: null })
})

test('a client that cannot be imported is reported, and the others are imported', async () => {
  const client = (clientId: string, more: object) => ({ clientId, protocol: 'openid-connect', ...more })
  const file = writeExport('clients.json', {
    users: [user('c@clients.test')],
    clients: [
      client('a-saml', { protocol: 'saml' }),
      client('a-bearer', { bearerOnly: true }),
      client('a-robot', { standardFlowEnabled: false, serviceAccountsEnabled: true, secret: '*'.repeat(10) }),
      client('a-wild', { publicClient: true, redirectUris: ['*'] }),
      client('a-web', { rootUrl: 'https://a.test', redirectUris: ['/callback'], secret: 'short' }),
      client('bad id', { publicClient: true, redirectUris: ['https://a.test/'] }),
    ],
  })
  const { clients, problems, losses } = await importFiles([file], OPTIONS)
  expect(clients).toEqual({ imported: 2, updated: 0, existing: 0, failed: 4 })
  expect(problems.map(({ reason }) => reason)).toEqual([
    'the client a-saml uses the protocol saml, but only openid-connect is supported',
    'the client a-bearer only receives tokens, so it needs no client here',
    expect.stringMatching(/^The client a-wild is not valid: redirectUris must name at least one/),
    expect.stringMatching(/^The client bad id is not valid: clientId must be/),
  ])
  expect(losses.map(({ reason }) => reason)).toEqual([
    'of the client a-robot, it has no secret yet: run "latchkey client secret"',
    expect.stringMatching(/^of the client a-web, its secret is left out/),
  ])
})

test.each([
  ['cut.json', '{"users": [{"username": "a"', /cut\.json: line 1: the file ends within a JSON document/],
  ['table.json', 'email,name\n', /table\.json: line 1: this is not JSON/],
  ['comma.json', '{"users": [\n{}\n{}]}', /comma\.json: line 3: this is not valid JSON: a comma or \] is missing/],
])('a malformed file is refused with its name and the line: %s', async (name, text, message) => {
  await expect(importFiles([writeExport(name, text)])).rejects.toThrow(message)
})

test('an element that is not a user is reported with its place, and the others are imported', async () => {
  const file = writeExport(
    'elements.json',
    `{"users": [7,\n{"email": "a@b", \n},\n{"email": "\\u0000"},\n${JSON.stringify(user('fine@elements.test'))}]}`,
  )
  const { users, problems } = await importFiles([file])
  expect(users).toMatchObject({ imported: 1, failed: 3 })
  expect(problems).toEqual([
    { line: 1, place: 'elements.json, line 1 (users[0])', reason: 'is not a JSON object' },
    { line: 2, place: 'elements.json, line 2 (users[1])', reason: 'is not valid JSON in UTF-8' },
    { line: 4, place: 'elements.json, line 4 (users[2])', reason: 'email contains a character that is not allowed' },
  ])
})
