import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call, refusal } from '../support/calls.ts'
import {
  ask,
  asOps,
  change,
  grant,
  type Headers,
  hasLicense,
  LICENSES,
  LICENSING,
  listSubscriptions,
  newInside,
  newMachineHeaders,
  newSeats,
  revoke,
  UNLICENSED,
} from '../support/licensing.ts'

const { application, tenant, owner, pro } = await newSeats()
const ops = await asOps()

/** What stands where an id belongs, as an address writes it. */
const NO_IDS: [string, string][] = [
  ['a number', '1'],
  ['null', 'null'],
  ['undefined', 'undefined'],
  ['a quote', "'"],
  ['a piece of SQL', "'%20or%20'1'='1"],
  ['5 KB', 'a'.repeat(5_000)],
  ['a way up', '..%2f'],
  ['a percent sign', '%25'],
  ['a star', '*'],
  ['a word that every object knows', '__proto__'],
  ['an emoji', '%F0%9F%9A%80'],
  ['braces around an id', `%7B${randomUUID()}%7D`],
  ['an id without its hyphens', randomUUID().replaceAll('-', '')],
  ['an id and a space', `${application}%20`],
  ['an id that nobody has', randomUUID()],
  ['the id of nothing', '00000000-0000-0000-0000-000000000000'],
]

const expectRefused = async (
  [method, path, body]: [string, string, object?],
  headers: Headers,
  [status, code]: [number, string],
) => {
  const answer = await call(method, path, { headers, body })
  expect(answer.status, path.slice(0, 100)).toBe(status)
  expect(answer.body, path.slice(0, 100)).toEqual(refusal(status, code))
}

describe.each(NO_IDS)('%s', (_, written) => {
  const id = decodeURIComponent(written)

  test('names no tenant', async () => {
    const subscription = { licenseTypeId: pro.id, quantityPurchased: 1 }
    for (const door of [
      ['GET', `${LICENSING}/tenants/${written}/license-overview`],
      ['GET', `${LICENSING}/tenants/${written}/subscriptions`],
      ['GET', `${LICENSING}/tenants/${written}/ledger`],
      ['POST', `${LICENSING}/tenants/${written}/subscriptions`, subscription],
    ] as [string, string, object?][]) {
      await expectRefused(door, ops, [404, 'TENANT_NOT_FOUND'])
    }
  })

  test('names no subscription', () =>
    expectRefused(['PATCH', `${LICENSING}/subscriptions/${written}`, { quantityPurchased: 1 }], ops, [
      404,
      'SUBSCRIPTION_NOT_FOUND',
    ]))

  test('names no license type', async () => {
    await expectRefused(['PATCH', `${LICENSING}/license-types/${written}`, { name: 'Other' }], ops, [
      404,
      'LICENSE_TYPE_NOT_FOUND',
    ])
    const body = { licenseTypeId: id, quantityPurchased: 1 }
    const unsold = ['POST', `${LICENSING}/tenants/${tenant.id}/subscriptions`, body] as [
      string,
      string,
      object,
    ]
    await expectRefused(unsold, ops, [404, 'LICENSE_TYPE_NOT_FOUND'])
    const wish = { userId: owner.userId, applicationId: application, licenseTypeId: id }
    for (const path of ['grant', 'change']) {
      await expectRefused(['POST', `${LICENSES}/${path}`, wish], owner.inside, [
        404,
        'LICENSE_TYPE_NOT_FOUND',
      ])
    }
  })

  test('names no application', async () => {
    const fields = { userId: owner.userId, applicationId: id, licenseTypeId: pro.id }
    const query = `applicationId=${written}&featureKey=reports`
    for (const path of ['check', 'feature', 'type', 'explain']) {
      await expectRefused(['GET', `${LICENSES}/${path}?${query}`], owner.inside, [
        400,
        'INVALID_APPLICATION_ID',
      ])
    }
    for (const path of ['check', 'feature', 'grant', 'change', 'revoke']) {
      const body = { ...fields, featureKey: 'reports' }
      await expectRefused(['POST', `${LICENSES}/${path}`, body], owner.inside, [
        400,
        'INVALID_APPLICATION_ID',
      ])
    }
    for (const list of ['users', 'count']) {
      await expectRefused(['GET', `${LICENSES}/apps/${written}/${list}`], owner.inside, [
        400,
        'INVALID_APPLICATION_ID',
      ])
    }
    await expectRefused(['GET', `${LICENSING}/license-types?applicationId=${written}`], ops, [
      400,
      'INVALID_APPLICATION_ID',
    ])
    const type = { applicationId: id, name: 'Pro', slug: 'pro' }
    await expectRefused(['POST', `${LICENSING}/license-types`, type], ops, [400, 'INVALID_APPLICATION_ID'])
  })

  test('names nobody', async () => {
    const about = { userId: id, applicationId: application }
    expect((await ask(owner.inside, 'check', about)).body).toEqual(UNLICENSED)
    expect((await ask(owner.inside, 'type', about)).body).toEqual({ licenseType: null })
    const feature = await ask(owner.inside, 'feature', { ...about, featureKey: 'reports' })
    expect(feature.body).toEqual({ hasFeature: false })
    const explained = await ask(owner.inside, 'explain', about)
    expect(explained.body).toMatchObject({ hasLicense: false, decidedBy: 'MEMBERSHIP' })
    const granted = await grant(owner.inside, { ...about, licenseTypeId: pro.id })
    expect(granted.body).toEqual(refusal(404, 'USER_NOT_FOUND'))
    expect((await revoke(owner.inside, about)).body).toEqual(refusal(404, 'LICENSE_NOT_FOUND'))
  })
})

// No database holds it: such text is refused wherever it stands, and never brings the service down.
test('a zero character is refused wherever an id belongs', async () => {
  const zero = `${application}\0`
  const wish = { userId: owner.userId, applicationId: application, licenseTypeId: pro.id }
  for (const [path, body] of [
    ['check', { ...wish, userId: zero }],
    ['check', { ...wish, applicationId: zero }],
    ['feature', { ...wish, featureKey: '\0' }],
    ['grant', { ...wish, userId: zero }],
    ['grant', { ...wish, licenseTypeId: zero }],
    ['revoke', { ...wish, userId: zero }],
    ['change', { ...wish, userId: zero }],
    ['grant/bulk', { grants: [{ ...wish, userId: zero }] }],
  ] as const) {
    const { status } = await call('POST', `${LICENSES}/${path}`, { headers: owner.inside, body })
    expect([400, 422], `${path} ${JSON.stringify(body)}`).toContain(status)
  }
  for (const path of ['check', 'feature', 'type', 'explain']) {
    const query = { ...wish, userId: zero, featureKey: 'reports' }
    expect([400, 422], path).toContain((await ask(owner.inside, path, query)).status)
  }
})

describe('an id in capital letters is the same id', () => {
  const capital = application.toUpperCase()

  test('where licences are asked for, also after they have changed', async () => {
    const member = await newInside({ tenant, owner })
    const userId = member.userId.toUpperCase()
    const about = { userId, applicationId: capital }
    expect((await ask(owner.inside, 'check', about)).body).toEqual(UNLICENSED)
    await grant(owner.inside, { userId: member.userId, applicationId: application, licenseTypeId: pro.id })
    expect((await ask(owner.inside, 'check', about)).body).toMatchObject({ hasLicense: true })
    await revoke(owner.inside, { userId: member.userId, applicationId: application })
    expect((await ask(owner.inside, 'check', about)).body).toEqual(UNLICENSED)
  })

  test('where seats are given, changed and taken back', async () => {
    const world = await newSeats(1)
    const about = { userId: world.owner.userId, applicationId: world.application }
    const wish = {
      userId: about.userId.toUpperCase(),
      applicationId: world.application.toUpperCase(),
      licenseTypeId: world.pro.id.toUpperCase(),
    }
    const granted = await grant(world.owner.inside, wish)
    expect(granted).toMatchObject({
      status: 201,
      body: { userId: about.userId, licenseTypeId: world.pro.id },
    })
    const changed = await change(world.owner.inside, wish)
    expect(changed).toMatchObject({ status: 200, body: granted.body })
    expect((await revoke(world.owner.inside, wish)).status).toBe(200)
    expect(await hasLicense(world.owner.inside, about.userId, world.application)).toBe(false)
    expect(await listSubscriptions(world.tenant.id)).toMatchObject([{ quantityAssigned: 0 }])
  })

  test('where a machine looks at its own tenant', async () => {
    const machine = await newMachineHeaders(application, ['licenses:read'], tenant.id)
    const path = `${LICENSING}/tenants/${tenant.id.toUpperCase()}/license-overview`
    expect(await call('GET', path, { headers: machine })).toMatchObject({
      status: 200,
      body: { tenantId: tenant.id },
    })
  })
})
