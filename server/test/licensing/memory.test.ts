import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { addPerson, newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startWorld } from '../support/world.ts'
import { employ } from '../tenants/company.ts'
import { ask } from '../tenants/walled-world.ts'
import {
  callAsOps,
  change,
  check,
  DAY,
  type Firm,
  grant,
  hire,
  mustBe,
  NOTHING,
  openFirm,
  renew,
  revoke,
  subscribe,
  typeOf,
  type Worker,
} from './firm.ts'

// What is remembered is never older than what was answered before.

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service?.close())

interface Scene {
  firm: Firm
  worker: Worker
  owner: Somebody
}

async function newScene(): Promise<Scene> {
  const firm = await openFirm(service)
  const owner = await newSomebody(service)
  await employ(service, firm.company, owner, { role: 'owner' })
  await subscribe(firm, 'basic', { quantityPurchased: 1 })
  return { firm, owner, worker: await hire(firm) }
}

const setStatus = ({ firm, owner, worker }: Scene, status: string) =>
  owner.call('PATCH', `/api/tenants/${firm.company.id}/members/${worker.membershipId}`, { status })
const setType = ({ firm }: Scene, change: object) =>
  callAsOps(service, 'PATCH', `/api/licensing/license-types/${firm.types.pro}`, change)
const setMode = ({ firm }: Scene, licensingMode: string) =>
  callAsOps(service, 'PATCH', `/api/admin/applications/${firm.applicationId}`, { licensingMode })
const ago = () => new Date(service.ctx.now().getTime() - DAY)

const HELD = { hasLicense: true, licenseType: 'pro', features: ['edit', 'view'] }

/** What happens, and what is known of it right away; everybody starts with a seat. */
const CHANGES: [string, ((scene: Scene) => Promise<{ status: number }>)[], object][] = [
  ['a revocation', [({ firm, worker }) => revoke(firm, worker)], NOTHING],
  ['another type', [({ firm, worker }) => change(firm, worker, 'basic')], { licenseType: 'basic' }],
  ['a suspension', [(scene) => setStatus(scene, 'SUSPENDED')], NOTHING],
  ['a reactivation', [(scene) => setStatus(scene, 'SUSPENDED'), (scene) => setStatus(scene, 'ACTIVE')], HELD],
  [
    'a removal',
    [
      ({ firm, owner, worker }) =>
        owner.call('DELETE', `/api/tenants/${firm.company.id}/members/${worker.membershipId}`),
    ],
    NOTHING,
  ],
  [
    'other features of the type',
    [(scene) => setType(scene, { features: { fly: true } })],
    { features: ['fly'] },
  ],
  [
    'another name of the type',
    [(scene) => setType(scene, { name: 'Premium', slug: 'premium' })],
    { licenseType: 'premium', licenseTypeName: 'Premium' },
  ],
  ['an archived type, which goes on', [(scene) => setType(scene, { status: 'ARCHIVED' })], HELD],
  ['an application that is free', [(scene) => setMode(scene, 'FREE')], { licenseType: 'basic' }],
  [
    'an application that is for all of the tenant, and then is not',
    [
      (scene) => setMode(scene, 'TENANT_WIDE'),
      ({ firm, worker }) => revoke(firm, worker),
      (scene) => setMode(scene, 'PER_SEAT'),
    ],
    NOTHING,
  ],
  ['an expired subscription', [({ firm }) => renew(firm, { status: 'EXPIRED' })], NOTHING],
  ['a subscription whose end is past', [({ firm }) => renew(firm, { currentPeriodEnd: ago() })], NOTHING],
  [
    'a renewed subscription',
    [({ firm }) => renew(firm, { status: 'EXPIRED' }), ({ firm }) => renew(firm, { status: 'ACTIVE' })],
    HELD,
  ],
]

describe('the next check knows of', () => {
  test.each(CHANGES)('%s', async (_, steps, expected) => {
    const scene = await newScene()
    const { firm, worker } = scene
    expect(await check(firm, worker)).toEqual(NOTHING)
    await mustBe(201, grant(firm, worker))
    expect(await check(firm, worker)).toMatchObject(HELD)
    for (const step of steps) {
      expect((await step(scene)).status).toBe(200)
      await check(firm, worker)
    }
    expect(await check(firm, worker)).toMatchObject(expected)
  })

  test('an application of the whole tenant, whose best subscription counts', async () => {
    const scene = await newScene()
    const { firm, worker } = scene
    expect(await check(firm, worker)).toEqual(NOTHING)
    await mustBe(200, setMode(scene, 'TENANT_WIDE'))
    expect(await typeOf(firm, worker)).toBe('pro')
    await mustBe(200, setType(scene, { displayOrder: -5 }))
    expect(await typeOf(firm, worker)).toBe('basic')
    await mustBe(200, setType(scene, { displayOrder: 5 }))
    expect(await typeOf(firm, worker)).toBe('pro')
    await mustBe(200, renew(firm, { status: 'EXPIRED' }))
    expect(await typeOf(firm, worker)).toBe('basic')
  })

  test('a subscription that is new', async () => {
    const firm = await openFirm(service, { mode: 'TENANT_WIDE', status: 'EXPIRED' })
    const worker = await hire(firm)
    expect(await check(firm, worker)).toEqual(NOTHING)
    await subscribe(firm, 'basic', { quantityPurchased: 0 })
    expect(await typeOf(firm, worker)).toBe('basic')
  })

  test('a type that is new, where the application is free', async () => {
    const { firm, ...rest } = await newScene()
    await mustBe(200, setMode({ firm, ...rest }, 'FREE'))
    expect(await typeOf(firm, rest.worker)).toBe('basic')
    const type = { applicationId: firm.applicationId, slug: 'gratis', name: 'Gratis', displayOrder: -1 }
    await mustBe(201, callAsOps(service, 'POST', '/api/licensing/license-types', type))
    expect(await typeOf(firm, rest.worker)).toBe('gratis')
  })

  test.each(['FREE', 'TENANT_WIDE'] as const)(
    'a stranger who has joined, where all have a licence (%s)',
    async (mode) => {
      const firm = await openFirm(service, { mode })
      const stranger = await addPerson(service)
      expect(await check(firm, stranger)).toEqual(NOTHING)
      await employ(service, firm.company, stranger)
      await service.ctx.changes.settle()
      expect(await check(firm, stranger)).toMatchObject({ hasLicense: true })
    },
  )

  test('a stranger who has joined by an invitation, and was given a seat', async () => {
    const { firm, owner } = await newScene()
    const guest = await newSomebody(service)
    expect(await check(firm, guest)).toEqual(NOTHING)
    await mustBe(
      201,
      owner.call('POST', `/api/tenants/${firm.company.id}/invitations`, { email: guest.email }),
    )
    expect(await check(firm, guest)).toEqual(NOTHING)
    const text = `update memberships set status = 'ACTIVE', joined_at = now(), invited_until = null
      where tenant_id = $1 and user_id = $2`
    await ask(service.ctx.db, text, [firm.company.id, guest.id])
    await service.ctx.changes.settle()
    await mustBe(201, grant(firm, guest))
    expect(await typeOf(firm, guest)).toBe('pro')
  })

  test('a person who did not exist before', async () => {
    const firm = await openFirm(service, { mode: 'FREE' })
    const id = newId()
    expect(await check(firm, { id })).toEqual(NOTHING)
    await addPerson(service, { id })
    await employ(service, firm.company, { id })
    await service.ctx.changes.settle()
    expect(await check(firm, { id })).toMatchObject({ hasLicense: true })
  })

  test('a person who asks to be forgotten', async () => {
    const { firm } = await newScene()
    const leaver = await newSomebody(service)
    await employ(service, firm.company, leaver)
    await mustBe(201, grant(firm, leaver))
    expect(await typeOf(firm, leaver)).toBe('pro')
    const farewell = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
    await mustBe(200, leaver.call('DELETE', '/api/users/me', farewell))
    expect(await check(firm, leaver)).toEqual(NOTHING)
  })

  const PAST_THE_SERVICE: [string, string, (scene: Scene) => unknown[]][] = [
    [
      'a person who is disabled',
      'update users set disabled = true where id = $1',
      ({ worker }) => [worker.id],
    ],
    ['a seat that is gone', 'delete from seats where user_id = $1', ({ worker }) => [worker.id]],
    ['a membership that is gone', 'delete from memberships where user_id = $1', ({ worker }) => [worker.id]],
    ['a person who is gone', 'delete from users where id = $1', ({ worker }) => [worker.id]],
    [
      'a subscription that is gone',
      'delete from subscriptions where id = $1',
      ({ firm }) => [firm.subscriptionId],
    ],
    [
      'a subscription that is over',
      'update subscriptions set current_period_end = now() where id = $1',
      ({ firm }) => [firm.subscriptionId],
    ],
    ['a type that is gone', 'delete from license_types where id = $1', ({ firm }) => [firm.types.pro]],
  ]
  test.each(PAST_THE_SERVICE)('%s, also when it was written past the service', async (_, text, values) => {
    const scene = await newScene()
    const { firm, worker, owner } = scene
    await mustBe(201, grant(firm, worker))
    expect([await typeOf(firm, worker), await typeOf(firm, owner)]).toEqual(['pro', null])
    await ask(service.ctx.db, text, values(scene))
    await service.ctx.changes.settle()
    expect(await check(firm, worker)).toEqual(NOTHING)
    expect(await typeOf(firm, owner)).toBe(text.startsWith('update seats') ? 'pro' : null)
  })

  test('a change after an answer that had to be fresh', async () => {
    const { firm, worker, owner } = await newScene()
    expect(await check(firm, worker)).toEqual(NOTHING)
    const { headers } = await mustBe(201, grant(firm, owner))
    const minRevision = headers.get('x-license-revision') ?? ''
    expect(await check(firm, worker, { minRevision })).toEqual(NOTHING)
    await mustBe(201, grant(firm, worker))
    expect(await typeOf(firm, worker)).toBe('pro')
  })

  const loud = ({ firm, worker }: Scene): [{ id: string }, Record<string, string>][] => [
    [{ id: worker.id.toUpperCase() }, {}],
    [worker, { applicationId: firm.applicationId.toUpperCase() }],
  ]
  test.each([
    ['of the person', 0],
    ['of the application', 1],
  ])('a change, also when the id %s was written in capitals', async (_, which) => {
    const scene = await newScene()
    const { firm, worker } = scene
    const [whom, more] = loud(scene)[which] ?? [worker, {}]
    await mustBe(201, grant(firm, worker))
    expect(await typeOf(firm, whom, more)).toBe('pro')
    await mustBe(200, revoke(firm, worker))
    expect(await check(firm, whom, more)).toEqual(NOTHING)
    await mustBe(200, setMode(scene, 'FREE'))
    expect(await typeOf(firm, whom, more)).toBe('basic')
  })
})
