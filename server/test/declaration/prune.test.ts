import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createReplay, readLicenseState, replayLedger } from '../licensing/replay.ts'
import { openTestPool } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'
import { apply } from './apply-yaml.ts'

let service: TestService
let pool: pg.Pool
beforeAll(async () => {
  service = await startService()
  pool = openTestPool(service.connection.direct)
})
afterAll(async () => {
  await pool.end()
  await service.close()
})

const rows = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows
const count = async (table: string, where: string) =>
  Number((await rows(`select count(*) from ${table} where ${where}`))[0]?.count)
const entries = (action: string) =>
  rows('select actor_kind, details, personal from audit_entries where action = $1 order by id', [action])

const PEOPLE = `
users: [{ email: a@prune.test }, { email: b@prune.test }]
tenants:
  - slug: prune
    name: Prune
    members: [{ email: a@prune.test, role: owner }, { email: b@prune.test, role: member }]
`
const SHOP = `${PEOPLE}
applications: [{ slug: shop, name: Shop }, { slug: old, name: Old }]
clients:
  - { clientId: shop-ops, application: shop, kind: MACHINE, name: Ops }
  - { clientId: old-ops, application: old, kind: MACHINE, name: Old ops }
licenseTypes:
  - { application: shop, slug: pro, name: Pro }
  - { application: shop, slug: basic, name: Basic }
  - { application: old, slug: only, name: Only }
subscriptions:
  - { tenant: prune, application: shop, licenseType: pro, quantityPurchased: 5 }
  - { tenant: prune, application: shop, licenseType: basic, quantityPurchased: 5, seats: [a@prune.test, b@prune.test] }
  - { tenant: prune, application: old, licenseType: only, quantityPurchased: 5, seats: [a@prune.test] }
`
/** Without the old application, and with the seat moved to another license type. */
const SMALLER = `${PEOPLE}
applications: [{ slug: shop, name: Shop }]
clients: [{ clientId: shop-ops, application: shop, kind: MACHINE, name: Ops }]
licenseTypes: [{ application: shop, slug: pro, name: Pro }]
subscriptions:
  - { tenant: prune, application: shop, licenseType: pro, quantityPurchased: 5, seats: [a@prune.test] }
`

test('without --prune, undeclared objects are kept and listed, and the other changes are applied', async () => {
  await apply(service.ctx, SHOP)
  const plan = await apply(service.ctx, SMALLER.replace('name: Shop }', 'name: Shop 2 }'))
  expect(plan).toBe(
    [
      '  = subscription prune old/only: not declared, kept',
      '  = subscription prune shop/basic: not declared, kept',
      '  = license type old/only: not declared, kept',
      '  = license type shop/basic: not declared, kept',
      '  = client old-ops: not declared, kept',
      '  = application old: not declared, kept',
      '  ~ application shop',
      '      name: "Shop" → "Shop 2"',
      '0 to create, 1 to change, 0 to delete.',
      '6 objects are not declared and kept. To delete what is not declared: --prune.',
    ].join('\n'),
  )
  expect(await count('applications', 'not built_in')).toBe(2)
})

test('with --prune, undeclared objects are deleted and recorded, and the ledger stays correct', async () => {
  await apply(service.ctx, SHOP)
  const plan = await apply(service.ctx, SMALLER, { prune: true })
  expect(plan).toBe(
    [
      '  - subscription prune old/only',
      '      with it: seats: 1',
      '  - subscription prune shop/basic',
      '      with it: seats: 2',
      '  - license type old/only',
      '      with it: subscriptions: 1, seats: 1',
      '  - license type shop/basic',
      '      with it: subscriptions: 1, seats: 2',
      '  - client old-ops',
      '      MACHINE of old; its secrets and tokens end',
      '  - application old',
      '      with it: clients: 1, license types: 1, subscriptions: 1, seats: 1',
      '  ~ subscription prune shop/pro',
      '      seat for a@prune.test',
      '0 to create, 1 to change, 6 to delete.',
    ].join('\n'),
  )
  expect(await apply(service.ctx, SMALLER, { prune: true })).toBe('Nothing to change.')
  expect(await count('clients', "client_id = 'old-ops'")).toBe(0)
  const [tenant] = await rows("select id from tenants where slug = 'prune'")
  const { seats, subscriptions } = await replayLedger(pool, tenant?.id, createReplay())
  expect({ seats, subscriptions }).toEqual(await readLicenseState(pool, tenant?.id))
  expect(Object.keys(seats)).toHaveLength(1)
  expect(await entries('subscription.deleted')).toMatchObject([
    { actor_kind: 'system', details: { seats: 1, before: { quantityPurchased: 5, status: 'ACTIVE' } } },
    { actor_kind: 'system', details: { seats: 2 } },
  ])
  expect(await entries('license_type.deleted')).toMatchObject([
    { details: { before: { slug: 'only' } } },
    { details: { before: { slug: 'basic' } } },
  ])
  expect(await entries('client.deleted')).toHaveLength(1)
  expect(await entries('application.deleted')).toHaveLength(1)
})

test('--prune applies only to sections in the file, and never to undeclared users and tenants', async () => {
  await apply(service.ctx, SHOP)
  const before = await count('clients', "client_id <> 'latchkey-console'")
  expect(await apply(service.ctx, 'users: []\ntenants: []', { prune: true })).toBe('Nothing to change.')
  const plan = await apply(service.ctx, 'clients: []')
  expect(plan).toContain(`Nothing to change.\n${before} objects are not declared and kept.`)
})

describe('an entry with absent: true', () => {
  const toAbsent = (section: string, entry: string) => `${section}: [{ ${entry}, absent: true }]`

  test.each([
    ['application', toAbsent('applications', 'slug: shop')],
    ['client', toAbsent('clients', 'clientId: shop-ops')],
    ['license type', toAbsent('licenseTypes', 'application: shop, slug: pro')],
    ['subscription', toAbsent('subscriptions', 'tenant: prune, application: shop, licenseType: pro')],
    ['tenant', toAbsent('tenants', 'slug: prune')],
    ['user', toAbsent('users', 'email: b@prune.test')],
  ])('is refused for a %s without --prune, and nothing changes', async (kind, yaml) => {
    await apply(service.ctx, SHOP)
    const also = yaml.startsWith('tenants') ? '' : '\ntenants: [{ slug: not-made, name: Not made }]'
    await expect(apply(service.ctx, yaml + also)).rejects.toThrow(
      new RegExp(`^The declaration says that the ${kind} .* is to be absent. Objects are deleted only with --prune`),
    )
    expect(await count('tenants', "slug = 'not-made'")).toBe(0)
  })

  test('is deleted with --prune, and ignored when it does not exist', async () => {
    await apply(service.ctx, SHOP)
    const yaml = `
users: [{ email: b@prune.test, absent: true }, { email: nobody@prune.test, absent: true }]
tenants: [{ slug: prune, name: Whatever, absent: true }, { slug: none, absent: true }]`
    const plan = await apply(service.ctx, yaml, { prune: true })
    expect(plan).toMatch(/ {2}- tenant prune\n {6}with it: members: 2, subscriptions: 3, seats: \d/)
    expect(plan).toMatch(/ {2}- user b@prune\.test\n {6}leaves at once, and is erased on \d{4}-\d\d-\d\d\n/)
    expect(await count('tenants', "slug = 'prune'")).toBe(0)
    const [b] = await rows("select deletion_requested_at from users where email = 'b@prune.test'")
    expect(b?.deletion_requested_at).not.toBeNull()
    expect(await apply(service.ctx, yaml, { prune: true })).toBe('Nothing to change.')
    expect(await entries('user.deletion_requested')).toMatchObject([{ actor_kind: 'system' }])
    await rows("update users set deletion_requested_at = null where email = 'b@prune.test'")
  })

  test('is refused when a declared entry refers to it', async () => {
    await apply(service.ctx, SHOP)
    const client = 'clients: [{ clientId: shop-ops, application: shop, kind: MACHINE, name: Ops }]'
    await expect(
      apply(service.ctx, `${client}\napplications: [{ slug: shop, absent: true }]`, { prune: true }),
    ).rejects.toThrow(/clients lists shop-ops, which needs shop of applications/)
    await expect(apply(service.ctx, `${client}\napplications: []`, { prune: true })).rejects.toThrow(/which needs shop/)
    expect(await count('clients', "client_id = 'shop-ops'")).toBe(1)
  })

  test('is refused for the last owner of a tenant', async () => {
    await apply(service.ctx, SHOP)
    await expect(apply(service.ctx, 'users: [{ email: a@prune.test, absent: true }]', { prune: true })).rejects.toThrow(
      'A tenant that has an owner must keep one',
    )
    const [a] = await rows("select deletion_requested_at from users where email = 'a@prune.test'")
    expect(a?.deletion_requested_at).toBeNull()
  })

  test('cannot also be declared as present, and must have its keys', async () => {
    await expect(
      apply(service.ctx, 'users: [{ email: A@x.test }, { email: a@x.test, absent: true }]', { prune: true }),
    ).rejects.toThrow(/twice: as present and as absent/)
    await expect(apply(service.ctx, 'users: [{ absent: true }]')).rejects.toThrow(
      "users.0 must have required property 'email'",
    )
    await expect(apply(service.ctx, 'tenants: [{ slug: x, absent: true, color: red }]')).rejects.toThrow('color')
  })
})

test('concurrent runs are applied one after the other, each with its own plan', async () => {
  const names = Array.from({ length: 6 }, (_, index) => `together-${index}`)
  const all = names.map((slug) => `{ slug: ${slug}, name: ${slug} }`).join(', ')
  const plans = await Promise.all(
    names.flatMap((slug) => [
      apply(service.ctx, `tenants: [{ slug: ${slug}, name: ${slug} }]`),
      apply(service.ctx, `tenants: [${all}]`),
    ]),
  )
  expect(await count('tenants', "slug like 'together-%'")).toBe(6)
  expect(plans.filter((plan) => plan === 'Nothing to change.').length).toBeGreaterThan(0)
  expect(
    await count('audit_entries', "action = 'tenant.created' and details->'after'->>'slug' like 'together-%'"),
  ).toBe(6)
})

test.each([
  ['a member', 'tenants: [{ slug: going, name: G, members: [{ email: Go@prune.test, role: owner }] }]'],
  [
    'a seat',
    `tenants: [{ slug: going, name: G }]
applications: [{ slug: going, name: G }]
licenseTypes: [{ application: going, slug: one, name: One }]
subscriptions: [{ tenant: going, application: going, licenseType: one, quantityPurchased: 1, seats: [Go@prune.test] }]`,
  ],
])('an absent user is refused as %s in the same declaration', async (what, rest) => {
  await apply(service.ctx, 'users: [{ email: go@prune.test }]')
  const yaml = `users: [{ email: GO@prune.test, absent: true }]\n${rest}`
  const message = new RegExp(`go@prune\\.test ${what} of .*, and lists that user as absent`)
  for (const prune of [true, false]) {
    await expect(apply(service.ctx, yaml, { prune })).rejects.toMatchObject({
      name: 'OperatorError',
      message: expect.stringMatching(message),
    })
  }
  expect(await count('tenants', "slug = 'going'")).toBe(0)
  expect(await count('users', "email = 'go@prune.test' and deletion_requested_at is null")).toBe(1)
})
