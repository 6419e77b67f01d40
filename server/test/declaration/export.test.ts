import { randomUUID } from 'node:crypto'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startService, type TestService } from '../support/service.ts'
import { apply, exportAll } from './apply-yaml.ts'

let first: TestService
let second: TestService
beforeAll(async () => {
  first = await startService()
  second = await startService()
})
afterAll(async () => {
  await first.close()
  await second.close()
})

const reference = (name: string) => `\${env:${name}}`
const PASSWORD = 'a long enough password'

/** Objects of all sections, with values that are difficult to quote in YAML. */
const world = (passwordHash: string) => `
users:
  - { email: own@round.test, givenName: Öwn, familyName: "O'Neil: #1", displayName: "null", superAdmin: true }
  - { email: mem@round.test, middleName: "-", nickname: "yes", locale: de-de, zoneinfo: Europe/Berlin, phone: "+49 30 1234567" }
  - { email: off@round.test, disabled: true, website: "https://off.example/a?b=c#d", pictureUrl: "https://off.example/p.png" }
  - { email: sus@round.test, passwordSignIn: false }
  - { email: hash@round.test, passwordHash: "${passwordHash}" }
  - { email: new@round.test, emailVerified: false, passwordHash: "${passwordHash}" }
  - { email: odd@round.test, displayName: "$\${env:HOME}" }
tenants:
  - slug: round
    name: "Round: & \\"Trip\\""
    mfaPolicy: REQUIRED
    settings: { theme: dark, list: [1, two, { three: null }], deep: { "a b": "$\${env:PATH}", "yes": "1e3" }, empty: {} }
    members:
      - { email: own@round.test, role: owner }
      - { email: mem@round.test, role: admin }
      - { email: off@round.test, role: member }
      - { email: sus@round.test, role: member, status: SUSPENDED }
  - { slug: empty, name: Empty, suspended: true, language: pt-BR }
applications:
  - { slug: app, name: App, trusted: false, accessTokenTtl: 300, idTokenTtl: 400, refreshTokenIdleTtl: 5000, refreshTokenTtl: 6000 }
  - { slug: wide, name: Wide, licensingMode: TENANT_WIDE }
clients:
  - { clientId: spa-1, application: app, kind: SPA, name: Spa, redirectUris: [https://a.example/cb, com.example.app:/cb], allowedOrigins: [https://a.example], pkceMethods: [S256], scopes: [openid, email] }
  - { clientId: web-1, application: app, kind: WEB, name: Web, redirectUris: [https://a.example/cb], postLogoutRedirectUris: [https://a.example/], backchannelLogoutUri: "https://a.example/logout", requireNonce: false, disabled: true }
  - { clientId: ops-1, application: wide, kind: MACHINE, name: Ops, tenant: round, scopes: [licenses:read], secret: a-secret-of-operations }
  - { clientId: with-key, application: wide, kind: MACHINE, name: Key, tokenEndpointAuthMethod: private_key_jwt, jwks: { keys: [{ kid: "1", y: x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0, x: f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU, kty: EC, crv: P-256 }] } }
  - { clientId: with-url, application: app, kind: WEB, name: Key, redirectUris: [https://a.example/cb], tokenEndpointAuthMethod: private_key_jwt, jwksUri: "https://a.example/jwks" }
mailTemplates:
  - { kind: new-device, subject: "Hello: {{application}}", text: "One\\n\\nTwo" }
tenantMailTemplates:
  - { tenant: round, kind: invitation, heading: "# Join {{tenant}}", button: "Yes" }
licenseTypes:
  - { application: app, slug: pro, name: Pro, description: "Line\\nand line", features: { zz: true, a: false, bb: true }, displayOrder: 3 }
  - { application: app, slug: old, name: Old }
  - { application: wide, slug: all, name: All }
subscriptions:
  - { tenant: round, application: app, licenseType: pro, quantityPurchased: 2, status: TRIALING, currentPeriodEnd: 2999-01-31, seats: [own@round.test] }
  - { tenant: round, application: app, licenseType: old, quantityPurchased: 1, seats: [mem@round.test] }
  - { tenant: round, application: wide, licenseType: all, quantityPurchased: 9 }
`

/** An archived license type, and an expired subscription with a seat. */
const LATER = `
licenseTypes: [{ application: app, slug: old, name: Old, status: ARCHIVED }]
subscriptions: [{ tenant: round, application: app, licenseType: old, quantityPurchased: 1, status: EXPIRED }]
`

test('an export changes nothing on its own instance and recreates it on an empty one', async () => {
  await apply(first.ctx, world(await bcrypt(PASSWORD, { cost: 4 })))
  await apply(first.ctx, LATER)
  const text = await exportAll(first.ctx, true)
  expect(await apply(first.ctx, text, { prune: true })).toBe('Nothing to change.')
  expect(await apply(second.ctx, text)).toMatch(/ to create, 0 to change, 0 to delete\.$/)
  expect(await exportAll(second.ctx, true)).toBe(text)
  expect(await apply(second.ctx, text, { prune: true })).toBe('Nothing to change.')
})

test('the export has all sections, and texts of users are escaped so that none is a reference', async () => {
  const { users, tenants, applications, clients, licenseTypes, subscriptions } = parse(await exportAll(first.ctx, true))
  expect(users.map(({ email }: { email: string }) => email)).toEqual(
    ['hash', 'mem', 'new', 'odd', 'off', 'own', 'sus'].map((name) => `${name}@round.test`),
  )
  expect(users[1]).toMatchObject({
    middleName: '-',
    nickname: 'yes',
    locale: 'de-DE',
    phone: '+49 30 1234567',
  })
  expect(users[2]).toMatchObject({ emailVerified: false, passwordHash: expect.stringMatching(/^\$2b\$04\$/) })
  expect(users[3]).toMatchObject({ displayName: `$${reference('HOME')}` })
  expect(users[4]).toMatchObject({ disabled: true, website: 'https://off.example/a?b=c#d' })
  expect(users[5]).toMatchObject({ displayName: 'null', familyName: "O'Neil: #1", superAdmin: true })
  expect(tenants[0]).toMatchObject({ slug: 'empty', suspended: true, language: 'pt-BR', members: [] })
  expect(tenants[1]).toMatchObject({
    name: 'Round: & "Trip"',
    mfaPolicy: 'REQUIRED',
    settings: {
      list: [1, 'two', { three: null }],
      deep: { 'a b': `$${reference('PATH')}`, yes: '1e3' },
      empty: {},
    },
  })
  expect(tenants[1].members[3]).toEqual({ email: 'sus@round.test', role: 'member', status: 'SUSPENDED' })
  expect(applications[0]).toMatchObject({ trusted: false, accessTokenTtl: 300, refreshTokenTtl: 6000 })
  expect(clients[0]).toMatchObject({
    tenant: 'round',
    secretHashes: [expect.stringMatching(/^[0-9a-f]{64}$/)],
  })
  expect(clients[2]).toMatchObject({ requireNonce: false, disabled: true })
  expect(licenseTypes[0]).toMatchObject({ slug: 'old', status: 'ARCHIVED' })
  expect(licenseTypes[1]).toMatchObject({
    description: 'Line\nand line',
    features: { a: false, bb: true, zz: true },
  })
  expect(subscriptions).toMatchObject([
    { licenseType: 'old', status: 'EXPIRED', seats: ['mem@round.test'] },
    { licenseType: 'pro', status: 'TRIALING', currentPeriodEnd: '2999-01-31T00:00:00.000Z' },
    { licenseType: 'all', quantityPurchased: 9, currentPeriodEnd: null, seats: [] },
  ])
})

test('with hashes, users and clients keep their passwords and secrets', async () => {
  const body = JSON.stringify({ email: 'hash@round.test', password: PASSWORD })
  const headers = { 'Content-Type': 'application/json' }
  const signedIn = await fetch(`${second.url}/api/auth/login`, { method: 'POST', headers, body })
  expect(signedIn.status).toBe(200)
  const basic = Buffer.from('ops-1:a-secret-of-operations').toString('base64')
  const machine = await fetch(`${second.url}/api/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  expect(machine.status).toBe(200)
})

test('without hashes, the export has no secrets and no users who could not sign in', async () => {
  const text = await exportAll(first.ctx)
  expect(text).not.toMatch(/\$2b\$|[0-9a-f]{64}|secretHashes|passwordHash|new@round/)
  expect(text).toContain('latchkey client secret')
  expect(await apply(first.ctx, text, { prune: true })).toBe('Nothing to change.')
})

test('placeholder accounts and users who have requested deletion are not exported', async () => {
  const now = new Date()
  const person = { display_name: null, given_name: null, family_name: null, password_hash: null }
  const common = { ...person, is_super_admin: false, created_at: now, updated_at: now }
  const { db } = first.ctx
  const ids = ['0197a2b0-7d5c-7000-8000-0000000000f1', '0197a2b0-7d5c-7000-8000-0000000000f2'] as const
  await db
    .insertInto('users')
    .values([
      { id: ids[0], email: 'placeholder@round.test', email_verified: false, ...common },
      { id: ids[1], email: 'leaving@round.test', email_verified: true, ...common },
    ])
    .execute()
  await db.updateTable('users').set({ deletion_requested_at: now }).where('id', '=', ids[1]).execute()
  expect(await exportAll(first.ctx, true)).not.toMatch(/placeholder@|leaving@/)
})

test('users are ordered by address, also across pages', async () => {
  const ends = ['@page.test', '-x@page.test', '.x@page.test', '_x@page.test', 'x@page.test']
  const emails = Array.from({ length: 420 }, (_, index) => ends.map((end) => `p${index}${end}`)).flat()
  await first.ctx.db
    .insertInto('users')
    .values(
      emails.map((email) => ({
        id: randomUUID(),
        email,
        email_verified: true,
        is_super_admin: false,
        password_hash: null,
        display_name: null,
        given_name: null,
        family_name: null,
        created_at: new Date(),
        updated_at: new Date(),
      })),
    )
    .execute()
  const { users } = parse(await exportAll(first.ctx))
  const listed: string[] = users.map(({ email }: { email: string }) => email)
  expect(listed).toEqual(listed.toSorted())
  expect(listed.filter((email) => email.endsWith('@page.test'))).toEqual(emails.toSorted())
})
