import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { applyChanges, describeChanges, planChanges, readDeclaration } from '../../src/declaration/apply.ts'
import { tempFolder } from '../support/program.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { runSql } from '../tenants/scoped-tenant.ts'

let service: TestService
const folder = tempFolder()
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

const NO_CHANGES = 'Nothing to change.'

/** Applies a declaration and returns its plan. */
async function apply(yaml: string): Promise<string> {
  const file = join(folder, 'declaration.yaml')
  writeFileSync(file, yaml)
  return applyFile(file)
}
async function applyFile(file: string): Promise<string> {
  const { ctx } = service
  const changes = await planChanges(ctx, sections, readDeclaration(file, sections))
  await applyChanges(ctx, changes)
  return describeChanges(changes)
}

test('applying the demo declaration again changes nothing', async () => {
  const demo = new URL('../../../demo/latchkey.yaml', import.meta.url).pathname
  expect(await applyFile(demo)).toBe(NO_CHANGES)
})

let slug = ''
let count = 0
beforeEach(() => {
  slug = `desk-${++count}`
})

interface Parts {
  types?: string
  subscriptions?: string
}
const declare = ({ types = '', subscriptions = '' }: Parts = {}) => `
users: [{ email: a@desk.test }, { email: b@desk.test }, { email: c@desk.test }]
tenants:
  - slug: ${slug}
    name: Desk
    members:
      - { email: a@desk.test, role: owner }
      - { email: b@desk.test, role: member }
      - { email: c@desk.test, role: member }
applications: [{ slug: ${slug}, name: Desk }]
licenseTypes:
  - { application: ${slug}, slug: pro, name: Pro, displayOrder: 2, features: { write: true, read: true, z: false } }
  - { application: ${slug}, slug: basic, name: Basic, displayOrder: 1 }
${types}
subscriptions:
  - { tenant: ${slug}, application: ${slug}, licenseType: pro, quantityPurchased: 2, seats: [a@desk.test] }
${subscriptions}`

const declareWithPro = (change: string) => declare().replace('quantityPurchased: 2, seats: [a@desk.test]', change)

const listSeats = () =>
  runSql<{ email: string; type: string; status: string }>(
    service.ctx.db,
    `select users.email, license_types.slug as type, seats.status from seats
     join users on users.id = seats.user_id join tenants on tenants.id = seats.tenant_id
     join license_types on license_types.id = seats.license_type_id where tenants.slug = $1 order by 1`,
    [slug],
  )
const listPurchased = async () =>
  (
    await runSql<{ quantity_purchased: number }>(
      service.ctx.db,
      `select quantity_purchased from subscriptions join tenants on tenants.id = tenant_id where slug = $1`,
      [slug],
    )
  ).map(({ quantity_purchased }) => quantity_purchased)

describe('a declaration of licenses', () => {
  test('creates types, subscriptions and seats, and changes nothing when applied again', async () => {
    const plan = await apply(declare())
    expect(plan).toContain(`  + license type ${slug}/pro\n      name: "Pro"\n`)
    expect(plan).toContain(
      `  + subscription ${slug} ${slug}/pro\n      quantityPurchased: 2\n      seat for a@desk.test\n`,
    )
    expect(await listSeats()).toEqual([{ email: 'a@desk.test', type: 'pro', status: 'ASSIGNED' }])
    expect(await listPurchased()).toEqual([2])
    expect(await apply(declare())).toBe(NO_CHANGES)
  })

  test('changes the number of seats, and grants seats to the listed members', async () => {
    await apply(declare())
    const changed = declareWithPro('quantityPurchased: 3, seats: [a@desk.test, B@Desk.test]')
    expect(await apply(changed)).toBe(
      [
        `  ~ subscription ${slug} ${slug}/pro`,
        '      quantityPurchased: 2 → 3',
        '      seat for b@desk.test',
        '0 to create, 1 to change, 0 to delete.',
      ].join('\n'),
    )
    expect(await listPurchased()).toEqual([3])
    expect((await listSeats()).map(({ email }) => email)).toEqual(['a@desk.test', 'b@desk.test'])
    expect(await apply(changed)).toBe(NO_CHANGES)
  })

  test('revokes no seat of members that it does not list, and keeps fields that it omits', async () => {
    await apply(declareWithPro('quantityPurchased: 2, seats: [a@desk.test, b@desk.test]'))
    expect(await apply(declareWithPro('quantityPurchased: 2, seats: [a@desk.test]'))).toBe(NO_CHANGES)
    expect(await apply(declareWithPro('quantityPurchased: 2'))).toBe(NO_CHANGES)
    expect(await listSeats()).toHaveLength(2)
  })

  test('changes a type, and lists the changed fields in the plan', async () => {
    await apply(declare())
    const changed = declare().replace('name: Basic, displayOrder: 1', 'name: Start, displayOrder: 5, status: ARCHIVED')
    expect(await apply(changed)).toBe(
      [
        `  ~ license type ${slug}/basic`,
        '      name: "Basic" → "Start"',
        '      displayOrder: 1 → 5',
        '      status: "ACTIVE" → "ARCHIVED"',
        '0 to create, 1 to change, 0 to delete.',
      ].join('\n'),
    )
    expect(await apply(changed)).toBe(NO_CHANGES)
  })

  test('keeps the seat of a member who holds another type of the application', async () => {
    const withBasic = (fields: string) =>
      declare({
        subscriptions: `  - { tenant: ${slug}, application: ${slug}, licenseType: basic, quantityPurchased: 1${fields} }`,
      })
    await apply(withBasic(''))
    await runSql(
      service.ctx.db,
      `update seats set license_type_id = basic.license_type_id, subscription_id = basic.id
       from tenants, subscriptions as basic, license_types
       where tenants.slug = $1 and seats.tenant_id = tenants.id and basic.tenant_id = tenants.id
         and license_types.id = basic.license_type_id and license_types.slug = 'basic'`,
      [slug],
    )
    expect(await apply(withBasic(''))).toBe(NO_CHANGES)
    expect(await listSeats()).toMatchObject([{ type: 'basic' }])
  })

  test('that lists a member twice grants one seat', async () => {
    const twice = declareWithPro('quantityPurchased: 2, seats: [a@desk.test, A@DESK.test]')
    await apply(twice)
    expect(await listSeats()).toHaveLength(1)
    expect(await apply(twice)).toBe(NO_CHANGES)
  })
})

const REFUSALS: [string, () => string, RegExp][] = [
  [
    'a type of an unknown application',
    () => declare({ types: '  - { application: gone, slug: x, name: X }' }),
    /license type gone\/x belongs to an application that does not exist/,
  ],
  [
    'a type twice',
    () => declare({ types: `  - { application: ${slug}, slug: pro, name: X }` }),
    /lists the license type .*\/pro twice/,
  ],
  [
    'a bad slug',
    () => declare({ types: `  - { application: ${slug}, slug: No_Slug, name: X }` }),
    /No_Slug is not valid: slug must/,
  ],
  [
    'a bad feature',
    () => declare({ types: `  - { application: ${slug}, slug: x, name: X, features: { "a b": true } }` }),
    /is not valid: features must have keys/,
  ],
  [
    'a feature that is not a boolean',
    () => declare({ types: `  - { application: ${slug}, slug: x, name: X, features: { a: 3 } }` }),
    /features\.a must be boolean/,
  ],
  [
    'a displayOrder that is too large',
    () => declare({ types: `  - { application: ${slug}, slug: x, name: X, displayOrder: 99999999999 }` }),
    /licenseTypes\.2\.displayOrder must be <= 1000000/,
  ],
  [
    'an infinite displayOrder',
    () => declare({ types: `  - { application: ${slug}, slug: x, name: X, displayOrder: .inf }` }),
    /licenseTypes\.2\.displayOrder is too large a number/,
  ],
  [
    'a description that is too long',
    () => declare({ types: `  - { application: ${slug}, slug: x, name: X, description: ${'d'.repeat(2001)} }` }),
    /licenseTypes\.2\.description must NOT have more than 2000 characters/,
  ],
  [
    'text with a null character',
    () => declare({ types: `  - { application: ${slug}, slug: x, name: X, description: "a\\0b" }` }),
    /description contains a character that is not allowed/,
  ],
  [
    'text with an unpaired surrogate',
    () => declareWithPro('quantityPurchased: 2, seats: ["a\\uD800@desk.test"]'),
    /seats\.0 contains a character that is not allowed/,
  ],
  ['a negative number of seats', () => declareWithPro('quantityPurchased: -1'), /quantityPurchased must be >= 0/],
  [
    'fewer seats than listed members',
    () => declareWithPro('quantityPurchased: 0, seats: [a@desk.test]'),
    /No seats? .*\(FULL\)/i,
  ],
  [
    'a seat for a user who is not a member',
    () => declareWithPro('quantityPurchased: 2, seats: [gus@globex.test]'),
    /gus@globex\.test is no member of the tenant/,
  ],
  [
    'a seat for an unknown user',
    () => declareWithPro('quantityPurchased: 2, seats: [no@body.test]'),
    /no@body\.test is no member of the tenant/,
  ],
  ['an unknown field', () => declareWithPro('quantityPurchased: 2, price: 5'), /additional properties.*"price"/],
  [
    'a subscription to an unknown type',
    () => declare().replace('licenseType: pro', 'licenseType: gone'),
    /subscription .*\/gone refers to a tenant, an application or a license type that does not exist/,
  ],
  [
    'a subscription twice',
    () =>
      declare({
        subscriptions: `  - { tenant: ${slug}, application: ${slug}, licenseType: pro, quantityPurchased: 1 }`,
      }),
    /lists the subscription .* twice/,
  ],
]

test.each(REFUSALS)('refuses %s with a message, and changes nothing', async (_, yaml, message) => {
  const readAllTables = () =>
    Promise.all(
      ['applications', 'license_types', 'subscriptions', 'seats', 'tenants'].map((table) =>
        runSql(service.ctx.db, `select * from ${table} order by id`),
      ),
    )
  const before = await readAllTables()
  await expect(apply(yaml())).rejects.toThrow(message)
  await expect(apply(yaml())).rejects.toMatchObject({ name: 'OperatorError' })
  expect(await readAllTables()).toEqual(before)
})

test('refuses to reduce the seats below the number in use, and changes nothing', async () => {
  await apply(declareWithPro('quantityPurchased: 2, seats: [a@desk.test, b@desk.test]'))
  await expect(apply(declareWithPro('quantityPurchased: 1, seats: [a@desk.test]'))).rejects.toThrow(
    /subscription .* is not valid/,
  )
  expect(await listPurchased()).toEqual([2])
  expect(await listSeats()).toHaveLength(2)
})
