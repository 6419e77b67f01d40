import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { sections } from '../../src/app.ts'
import { findClient, findSecret } from '../../src/applications/clients.ts'
import type { Ctx } from '../../src/context.ts'
import { applyChanges, describeChanges, planChanges, readDeclaration } from '../../src/declaration/apply.ts'
import { exportAll } from '../declaration/apply-yaml.ts'
import { tempFolder } from '../support/program.ts'
import { startService } from '../support/service.ts'

const DEMO = fileURLToPath(new URL('../../../demo/latchkey.yaml', import.meta.url))
const folder = tempFolder()

let ctx: Ctx
let close: () => Promise<void>
beforeAll(async () => {
  ;({ ctx, close } = await startService())
})
afterAll(() => close())

/** Applies a declaration and returns its plan. */
async function apply(yaml: string): Promise<string> {
  const file = join(folder, 'declaration.yaml')
  writeFileSync(file, yaml)
  return applyFile(file)
}
async function applyFile(file: string): Promise<string> {
  const changes = await planChanges(ctx, sections, readDeclaration(file, sections))
  await applyChanges(ctx, changes)
  await ctx.changes.waitUntilCurrent()
  return describeChanges(changes)
}
const membersOf = (slug: string) =>
  ctx.db
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.email', 'memberships.role', 'memberships.status'])
    .where('tenants.slug', '=', slug)
    .orderBy('users.email')
    .execute()

test('the demo declaration refers to objects that it creates, and a second run changes nothing', async () => {
  const plan = await applyFile(DEMO)
  expect(plan).toContain(
    '  + tenant acme\n      name: "Acme"\n      owner olivia@acme.test\n      admin adam@acme.test\n      member mia@acme.test\n',
  )
  expect(plan).toContain(
    '  + application project-manager\n      name: "Project Manager"\n      licensingMode: "PER_SEAT"\n',
  )
  expect(plan).toContain(
    '  + client demo-machine\n      kind: "MACHINE"\n      application: "project-manager"\n      tenant: "acme"\n',
  )
  expect(plan).toContain('      scopes: ["licenses:read","licenses:write"]\n      secret: (hidden)\n')
  expect(plan).not.toMatch(/demo-\w+-secret|latchkey-demo/)
  expect(await applyFile(DEMO)).toBe('Nothing to change.')
  expect(await membersOf('acme')).toEqual([
    { email: 'adam@acme.test', role: 'admin', status: 'ACTIVE' },
    { email: 'max@acme.test', role: 'member', status: 'ACTIVE' },
    { email: 'mia@acme.test', role: 'member', status: 'ACTIVE' },
    { email: 'olivia@acme.test', role: 'owner', status: 'ACTIVE' },
  ])
  const ops = await findClient(ctx, 'demo-ops')
  expect(ops).toMatchObject({ kind: 'MACHINE', scopes: ['admin'], tenantId: undefined })
  expect(ops && findSecret(ops, 'demo-ops-secret')).toBeDefined()
  expect(await findClient(ctx, 'demo-machine')).toMatchObject({
    tenantSlug: 'acme',
    scopes: ['licenses:read', 'licenses:write'],
  })
  expect(await findClient(ctx, 'demo-spa')).toMatchObject({
    kind: 'SPA',
    secrets: [],
    redirectUris: ['http://localhost:8080/callback'],
    postLogoutRedirectUris: ['http://localhost:8080/'],
    allowedOrigins: ['http://localhost:8080'],
  })
})

const SHOP = `
applications: [{ slug: shop, name: Shop }]
clients:
  - { clientId: shop-web, application: shop, kind: WEB, name: Shop, redirectUris: [https://shop.example/cb] }
`

test('only declared fields are changed, and only a client without a secret gets the declared one', async () => {
  expect(await apply(SHOP)).toContain(
    [
      '  + client shop-web',
      '      kind: "WEB"',
      '      application: "shop"',
      '      name: "Shop"',
      '      redirectUris: ["https://shop.example/cb"]',
      '      without a secret\n',
    ].join('\n'),
  )
  const changed = SHOP.replace(
    'name: Shop }]',
    'name: Shop, trusted: false, signingAlgorithm: EdDSA, accessTokenTtl: 600 }]',
  ).replace('cb] }', 'cb], requireNonce: false, secret: first-secret-of-shop }')
  const plan = await apply(changed)
  expect(plan).toBe(
    [
      '  ~ application shop',
      '      trusted: true → false',
      '      signingAlgorithm: "RS256" → "EdDSA"',
      '      accessTokenTtl: null → 600',
      '  ~ client shop-web',
      '      requireNonce: true → false',
      '      secret: (hidden)',
      '0 to create, 2 to change, 0 to delete.',
    ].join('\n'),
  )
  expect(await apply(changed.replace('first-secret', 'other-secret'))).toBe('Nothing to change.')
  const client = await findClient(ctx, 'shop-web')
  expect(client).toMatchObject({
    trusted: false,
    requireNonce: false,
    signingAlgorithms: ['EdDSA', 'RS256'],
    lifetimes: { accessToken: 600 },
  })
  expect(client && findSecret(client, 'first-secret-of-shop')).toBeDefined()
  expect(client && findSecret(client, 'other-secret-of-shop')).toBeUndefined()
})

test('listed members become active with the declared role, and others stay unchanged', async () => {
  const users = 'users: [{ email: a@m.test }, { email: b@m.test }, { email: c@m.test }]\n'
  const tenant = (members: string) => `${users}tenants: [{ slug: m-inc, name: M, members: [${members}] }]`
  await apply(tenant('{ email: A@M.test, role: owner }, { email: b@m.test, role: member }'))
  await ctx.db.updateTable('memberships').set({ status: 'SUSPENDED' }).where('role', '=', 'member').execute()
  expect(await apply(tenant('{ email: b@m.test, role: admin }, { email: c@m.test, role: member }'))).toContain(
    '  ~ tenant m-inc\n      b@m.test: member SUSPENDED → admin ACTIVE\n      member c@m.test\n',
  )
  expect(await membersOf('m-inc')).toEqual([
    { email: 'a@m.test', role: 'owner', status: 'ACTIVE' },
    { email: 'b@m.test', role: 'admin', status: 'ACTIVE' },
    { email: 'c@m.test', role: 'member', status: 'ACTIVE' },
  ])
  await expect(apply(tenant('{ email: a@m.test, role: member }'))).rejects.toThrow('must keep one')
  await apply(tenant('{ email: a@m.test, role: member }, { email: c@m.test, role: owner }'))
  expect(await membersOf('m-inc')).toMatchObject([{ role: 'member' }, { role: 'admin' }, { role: 'owner' }])
})

const client = (fields: string) =>
  `applications: [{ slug: rules, name: Rules }]\nclients: [{ clientId: bad, application: rules, name: Bad, ${fields} }]`

test.each([
  [
    'a client of an unknown application',
    'clients: [{ clientId: x-1, application: gone, kind: MACHINE, name: X }]',
    /there is no such application/,
  ],
  [
    'a client of an unknown tenant',
    client('kind: MACHINE, tenant: gone'),
    /is of tenant gone, but there is no such tenant/,
  ],
  [
    'an unsafe redirect URI',
    client('kind: WEB, redirectUris: ["JaVaScRiPt:alert(1)"]'),
    /client bad is not valid: redirectUris\.0 must/,
  ],
  ['a client without a redirect URI', client('kind: SPA'), /redirectUris must name at least one/],
  [
    'an SPA with a secret',
    client('kind: SPA, redirectUris: [https://a.example/], secret: long-enough-1'),
    /secret is not for SPA/,
  ],
  ['a short secret', client('kind: MACHINE, secret: short'), /secret must have 8 to 256/],
  ['an unknown kind', client('kind: NATIVE'), /clients\.0\.kind must be equal to one of/],
  [
    'an id like a UUID',
    client('kind: MACHINE').replace('clientId: bad', 'clientId: 0197a2b0-7d5c-7000-8000-00000000abcd'),
    /clientId must be/,
  ],
  [
    'a duplicate client',
    `${client('kind: MACHINE').slice(0, -1)}, { clientId: bad, application: rules, kind: MACHINE, name: B }]`,
    /lists the client bad twice/,
  ],
  [
    'a token lifetime that is too short',
    'applications: [{ slug: rules, name: Rules, accessTokenTtl: 5 }]',
    /accessTokenTtl must be >= 60/,
  ],
  ['a bad slug', 'applications: [{ slug: No_Slug, name: X }]', /application No_Slug is not valid: slug must/],
  ['a reserved tenant', 'tenants: [{ slug: admin, name: X }]', /slug is a reserved word/],
  [
    'an unknown user as a member',
    'tenants: [{ slug: lonely, name: X, members: [{ email: no@body.test, role: owner }] }]',
    /makes no@body\.test a member/,
  ],
  [
    'another kind for a client',
    SHOP.replace('kind: WEB', 'kind: SPA'),
    /kind of client shop-web is WEB and cannot become SPA/,
  ],
  [
    'another application for a client',
    SHOP.replace('application: shop,', 'application: project-manager,'),
    /application of client shop-web is shop/,
  ],
])('refuses %s with a readable message and changes nothing', async (_name, yaml, message) => {
  const before = await ctx.db.selectFrom('applications').select('slug').orderBy('slug').execute()
  await expect(apply(yaml)).rejects.toThrow(message)
  await expect(apply(yaml)).rejects.toMatchObject({ name: 'OperatorError' })
  expect(await ctx.db.selectFrom('applications').select('slug').orderBy('slug').execute()).toEqual(before)
  expect(await findClient(ctx, 'bad')).toBeUndefined()
})

test('a declared branding is set, validated and exported', async () => {
  const file = (branding: string) => `applications: [{ slug: branded, name: Branded${branding} }]`
  expect(await apply(file(", branding: { color: '#0B5ED7' }"))).toContain(
    '      branding: {"displayName":null,"color":"#0b5ed7","theme":null}\n',
  )
  expect(await apply(file(", branding: { color: '#0b5ed7' }"))).toBe('Nothing to change.')
  expect(await apply(file(''))).toBe('Nothing to change.')
  expect(await apply(file(', branding: { displayName: Face }'))).toContain(
    '      branding: {"displayName":null,"color":"#0b5ed7","theme":null} → {"displayName":"Face","color":null,"theme":null}\n',
  )
  await expect(apply(file(', branding: { color: blue }'))).rejects.toThrow(
    'The application branded is not valid: color must be a color such as #3b5bdb',
  )
  await expect(apply(file(', branding: { logo: x }'))).rejects.toThrow('is not a valid declaration')
  expect(await exportAll(ctx)).toMatch(
    /slug: branded\n(?: {4}.*\n)* {4}branding: \{ displayName: Face, color: null, theme: null \}\n/,
  )
  await apply(file(', branding: {}'))
  expect(await exportAll(ctx)).not.toContain('Face')
})

test('the security profile of a client sets what follows from it, and a second run changes nothing', async () => {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwks = { keys: [await exportJWK(publicKey)] }
  const file = (settings: object) =>
    JSON.stringify({
      applications: [{ slug: 'bank', name: 'Bank', signingAlgorithm: 'PS256' }],
      clients: [
        {
          clientId: 'bank',
          application: 'bank',
          kind: 'WEB',
          name: 'Bank',
          redirectUris: ['https://bank.example/callback'],
          ...settings,
        },
      ],
    })
  await apply(file({}))
  const profile = { securityProfile: 'FAPI2', jwks }
  const plan = await apply(file(profile))
  expect(plan).toContain('requireDpop: false → true')
  expect(plan).toContain('securityProfile: "NONE" → "FAPI2"')
  expect(await apply(file(profile))).toBe('Nothing to change.')
  expect(await findClient(ctx, 'bank')).toMatchObject({ securityProfile: 'FAPI2', requirePushedRequests: true })
  await expect(apply(file({ ...profile, requireDpop: false }))).rejects.toThrow('FAPI2')
  const { clients } = parse(await exportAll(ctx))
  const exported = clients.find(({ clientId }: { clientId: string }) => clientId === 'bank')
  expect(await apply(file(exported))).toBe('Nothing to change.')
})

test('the keys of a client are set, exported, replaced by their address, and never private', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'first', use: 'sig' }] }
  const file = (settings: object) =>
    JSON.stringify({
      applications: [{ slug: 'keys', name: 'Keys' }],
      clients: [{ clientId: 'with-keys', application: 'keys', kind: 'MACHINE', name: 'Keys', ...settings }],
    })
  const withKeys = { tokenEndpointAuthMethod: 'private_key_jwt', jwks }
  const plan = await apply(file(withKeys))
  expect(plan).toContain(`      tokenEndpointAuthMethod: "private_key_jwt"\n      jwks: ${JSON.stringify(jwks)}\n`)
  expect(plan).not.toContain('without a secret')
  expect(await apply(file(withKeys))).toBe('Nothing to change.')
  const { clients } = parse(await exportAll(ctx))
  const exported = clients.find(({ clientId }: { clientId: string }) => clientId === 'with-keys')
  expect(exported).toMatchObject({ ...withKeys, jwksUri: null })
  expect(await apply(file(exported))).toBe('Nothing to change.')
  const privateKeys = { keys: [{ ...(await exportJWK(privateKey)), kid: 'first' }] }
  await expect(apply(file({ jwks: privateKeys }))).rejects.toThrow('private member d')
  await expect(apply(file({ secret: 'a-long-secret-1' }))).rejects.toThrow('they use their key')
  await apply(file({ jwks: null, jwksUri: 'https://app.example.com/jwks' }))
  expect(await findClient(ctx, 'with-keys')).toMatchObject({ jwks: null, jwksUri: 'https://app.example.com/jwks' })
})
