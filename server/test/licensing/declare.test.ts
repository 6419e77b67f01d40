import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { applyChanges, describeChanges, planChanges, readDeclaration } from '../../src/declaration/apply.ts'
import { tempFolder } from '../support/program.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { ask } from '../tenants/walled-world.ts'

let service: TestService
const folder = tempFolder()
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service?.close())

const NOTHING = 'Nothing to change.'

/** Applies the text and gives back the plan. */
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

test('the demo world is laid out once, and the second time there is nothing to change', async () => {
  const demo = new URL('../../../demo/latchkey.yaml', import.meta.url).pathname
  expect(await applyFile(demo)).toBe(NOTHING)
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

const pro = (change: string) => declare().replace('quantityPurchased: 2, seats: [a@desk.test]', change)

const seats = () =>
  ask<{ email: string; type: string; status: string }>(
    service.ctx.db,
    `select users.email, license_types.slug as type, seats.status from seats
     join users on users.id = seats.user_id join tenants on tenants.id = seats.tenant_id
     join license_types on license_types.id = seats.license_type_id where tenants.slug = $1 order by 1`,
    [slug],
  )
const bought = async () =>
  (
    await ask<{ quantity_purchased: number }>(
      service.ctx.db,
      `select quantity_purchased from subscriptions join tenants on tenants.id = tenant_id where slug = $1`,
      [slug],
    )
  ).map(({ quantity_purchased }) => quantity_purchased)

describe('a declaration of licences', () => {
  test('makes types, subscriptions and seats, and applied again finds nothing to change', async () => {
    const plan = await apply(declare())
    expect(plan).toContain(`  + licence type ${slug}/pro\n      name: "Pro"\n`)
    expect(plan).toContain(
      `  + subscription ${slug} ${slug}/pro\n      quantityPurchased: 2\n      seat for a@desk.test\n`,
    )
    expect(await seats()).toEqual([{ email: 'a@desk.test', type: 'pro', status: 'ASSIGNED' }])
    expect(await bought()).toEqual([2])
    expect(await apply(declare())).toBe(NOTHING)
  })

  test('changes the number of seats, and gives those who are named one', async () => {
    await apply(declare())
    const changed = pro('quantityPurchased: 3, seats: [a@desk.test, B@Desk.test]')
    expect(await apply(changed)).toBe(
      [
        `  ~ subscription ${slug} ${slug}/pro`,
        '      quantityPurchased: 2 → 3',
        '      seat for b@desk.test',
        '0 to create, 1 to change, 0 to delete.',
      ].join('\n'),
    )
    expect(await bought()).toEqual([3])
    expect((await seats()).map(({ email }) => email)).toEqual(['a@desk.test', 'b@desk.test'])
    expect(await apply(changed)).toBe(NOTHING)
  })

  test('takes no seat from whom it does not name, and leaves out what it does not say', async () => {
    await apply(pro('quantityPurchased: 2, seats: [a@desk.test, b@desk.test]'))
    expect(await apply(pro('quantityPurchased: 2, seats: [a@desk.test]'))).toBe(NOTHING)
    expect(await apply(pro('quantityPurchased: 2'))).toBe(NOTHING)
    expect(await seats()).toHaveLength(2)
  })

  test('changes a type, and says what', async () => {
    await apply(declare())
    const changed = declare().replace(
      'name: Basic, displayOrder: 1',
      'name: Start, displayOrder: 5, status: ARCHIVED',
    )
    expect(await apply(changed)).toBe(
      [
        `  ~ licence type ${slug}/basic`,
        '      name: "Basic" → "Start"',
        '      displayOrder: 1 → 5',
        '      status: "ACTIVE" → "ARCHIVED"',
        '0 to create, 1 to change, 0 to delete.',
      ].join('\n'),
    )
    expect(await apply(changed)).toBe(NOTHING)
  })

  test('leaves whoever holds another type of the application with that', async () => {
    const both = (named: string) =>
      declare({
        subscriptions: `  - { tenant: ${slug}, application: ${slug}, licenseType: basic, quantityPurchased: 1${named} }`,
      })
    await apply(both(''))
    await ask(
      service.ctx.db,
      `update seats set license_type_id = basic.license_type_id, subscription_id = basic.id
       from tenants, subscriptions as basic, license_types
       where tenants.slug = $1 and seats.tenant_id = tenants.id and basic.tenant_id = tenants.id
         and license_types.id = basic.license_type_id and license_types.slug = 'basic'`,
      [slug],
    )
    expect(await apply(both(''))).toBe(NOTHING)
    expect(await seats()).toMatchObject([{ type: 'basic' }])
  })

  test('that names somebody twice gives them one seat', async () => {
    const twice = pro('quantityPurchased: 2, seats: [a@desk.test, A@DESK.test]')
    await apply(twice)
    expect(await seats()).toHaveLength(1)
    expect(await apply(twice)).toBe(NOTHING)
  })
})

const REFUSALS: [string, () => string, RegExp][] = [
  [
    'a type of an application that there is not',
    () => declare({ types: '  - { application: gone, slug: x, name: X }' }),
    /licence type gone\/x is of an application that there is not/,
  ],
  [
    'a type twice',
    () => declare({ types: `  - { application: ${slug}, slug: pro, name: X }` }),
    /lists the licence type .*\/pro twice/,
  ],
  [
    'a bad slug',
    () => declare({ types: `  - { application: ${slug}, slug: No_Slug, name: X }` }),
    /No_Slug cannot be: slug must/,
  ],
  [
    'a bad feature',
    () => declare({ types: `  - { application: ${slug}, slug: x, name: X, features: { "a b": true } }` }),
    /cannot be: features must have keys/,
  ],
  [
    'a feature that is neither there nor not',
    () => declare({ types: `  - { application: ${slug}, slug: x, name: X, features: { a: 3 } }` }),
    /features\.a must be boolean/,
  ],
  [
    'an order beyond all',
    () => declare({ types: `  - { application: ${slug}, slug: x, name: X, displayOrder: 99999999999 }` }),
    /licenseTypes\.2\.displayOrder must be <= 1000000/,
  ],
  [
    'an order without end',
    () => declare({ types: `  - { application: ${slug}, slug: x, name: X, displayOrder: .inf }` }),
    /licenseTypes\.2\.displayOrder is too large a number/,
  ],
  [
    'a description that is a book',
    () =>
      declare({ types: `  - { application: ${slug}, slug: x, name: X, description: ${'d'.repeat(2001)} }` }),
    /licenseTypes\.2\.description must NOT have more than 2000 characters/,
  ],
  [
    'text that no database holds',
    () => declare({ types: `  - { application: ${slug}, slug: x, name: X, description: "a\\0b" }` }),
    /description contains a character that is not allowed/,
  ],
  [
    'half a character',
    () => pro('quantityPurchased: 2, seats: ["a\\uD800@desk.test"]'),
    /seats\.0 contains a character that is not allowed/,
  ],
  ['fewer seats than none', () => pro('quantityPurchased: -1'), /quantityPurchased must be >= 0/],
  [
    'fewer seats than it names people',
    () => pro('quantityPurchased: 0, seats: [a@desk.test]'),
    /No seats? .*\(FULL\)/i,
  ],
  [
    'a seat for somebody who is no member',
    () => pro('quantityPurchased: 2, seats: [gus@globex.test]'),
    /gus@globex\.test is no member of the tenant/,
  ],
  [
    'a seat for nobody',
    () => pro('quantityPurchased: 2, seats: [no@body.test]'),
    /no@body\.test is no member of the tenant/,
  ],
  [
    'a word that it does not know',
    () => pro('quantityPurchased: 2, price: 5'),
    /additional properties.*"price"/,
  ],
  [
    'a subscription of a type that there is not',
    () => declare().replace('licenseType: pro', 'licenseType: gone'),
    /subscription .*\/gone is of a tenant, an application or a licence type that there is not/,
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

test.each(REFUSALS)('refuses %s in a sentence, and changes nothing', async (_, yaml, message) => {
  const everything = () =>
    Promise.all(
      ['applications', 'license_types', 'subscriptions', 'seats', 'tenants'].map((table) =>
        ask(service.ctx.db, `select * from ${table} order by id`),
      ),
    )
  const before = await everything()
  await expect(apply(yaml())).rejects.toThrow(message)
  await expect(apply(yaml())).rejects.toMatchObject({ name: 'OperatorError' })
  expect(await everything()).toEqual(before)
})

test('refuses to sell fewer seats than are taken, and changes nothing', async () => {
  await apply(pro('quantityPurchased: 2, seats: [a@desk.test, b@desk.test]'))
  await expect(apply(pro('quantityPurchased: 1, seats: [a@desk.test]'))).rejects.toThrow(
    /subscription .* cannot be/,
  )
  expect(await bought()).toEqual([2])
  expect(await seats()).toHaveLength(2)
})
