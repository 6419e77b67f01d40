import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, newSomebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { obtainTokens, PASSWORD, startWorld } from '../support/world.ts'
import { employ } from '../tenants/company.ts'
import {
  check,
  DAY,
  type Firm,
  grant,
  hire,
  hireLicensed,
  holders,
  mustBe,
  NOTHING,
  openFirm,
  refusedSeat,
  renew,
  revoke,
  rowsOf,
  seatsOf,
  subscribe,
  type Worker,
} from './firm.ts'

// A seat goes its member's way, in the same transaction.

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service?.close())

/** A firm with an owner who acts, one seat, and somebody who has it. */
async function openSmall(seats = 1) {
  const firm = await openFirm(service, { seats })
  const owner = await newSomebody(service)
  await employ(service, firm.company, owner, { role: 'owner' })
  const worker = await hireLicensed(firm)
  const path = `/api/tenants/${firm.company.id}/members/${worker.membershipId}`
  const setStatus = (status: string) => mustBe(200, owner.call('PATCH', path, { status }))
  return { firm, owner, worker, setStatus, remove: () => mustBe(200, owner.call('DELETE', path)) }
}

const expectFree = async (firm: Firm, many: number) =>
  expect(await seatsOf(firm)).toMatchObject({ quantityAvailable: many })

async function expectWithout(firm: Firm, worker: Worker) {
  expect(await check(firm, worker)).toEqual(NOTHING)
  expect(await holders(firm)).not.toContain(worker.id)
}

describe('a member who is suspended', () => {
  test('has no licence at once, and takes the seat again when they come back and it is free', async () => {
    const { firm, worker, setStatus } = await openSmall()
    const [before] = await rowsOf(firm)
    await setStatus('SUSPENDED')
    await expectWithout(firm, worker)
    await expectFree(firm, 1)
    expect(await rowsOf(firm)).toMatchObject([{ id: before?.id, status: 'PARKED' }])
    expect(await grant(firm, worker)).toMatchObject({ status: 400, body: { error: 'MEMBER_NOT_ACTIVE' } })
    await setStatus('ACTIVE')
    expect(await check(firm, worker)).toMatchObject({ hasLicense: true, licenseType: 'pro' })
    expect(await holders(firm)).toEqual([worker.id])
    await expectFree(firm, 0)
  })

  test('finds none when somebody else has taken it, and may be given another later', async () => {
    const { firm, worker, setStatus } = await openSmall()
    await setStatus('SUSPENDED')
    const other = await hireLicensed(firm)
    await setStatus('ACTIVE')
    await expectWithout(firm, worker)
    expect(await rowsOf(firm)).toMatchObject([{ user_id: other.id, status: 'ASSIGNED' }])
    expect(await grant(firm, worker)).toMatchObject(refusedSeat('FULL'))
    await mustBe(200, revoke(firm, other))
    await expectWithout(firm, worker)
    await mustBe(201, grant(firm, worker))
    expect(await holders(firm)).toEqual([worker.id])
  })

  test('loses and takes the seats of several applications, each by itself', async () => {
    const { firm, worker, setStatus } = await openSmall()
    const second = await openFirm(service, { seats: 1 })
    const elsewhere = { ...firm, applicationId: second.applicationId, types: second.types }
    elsewhere.subscriptionId = (await subscribe(elsewhere, 'pro', { quantityPurchased: 1 })).id
    await mustBe(201, grant(elsewhere, worker))
    await setStatus('SUSPENDED')
    await expectWithout(firm, worker)
    await expectWithout(elsewhere, worker)
    await hireLicensed(elsewhere)
    await setStatus('ACTIVE')
    expect(await check(firm, worker)).toMatchObject({ hasLicense: true })
    await expectWithout(elsewhere, worker)
  })

  test('takes a seat that has run out meanwhile only with its renewal', async () => {
    const { firm, worker, setStatus } = await openSmall()
    await setStatus('SUSPENDED')
    await mustBe(200, renew(firm, { status: 'EXPIRED' }))
    await setStatus('ACTIVE')
    await expectWithout(firm, worker)
    await mustBe(200, renew(firm, { status: 'ACTIVE' }))
    expect(await check(firm, worker)).toMatchObject({ hasLicense: true })
  })

  test('does not get back what was only borne with', async () => {
    const { firm, worker, setStatus } = await openSmall(3)
    for (let count = 0; count < 2; count++) await hireLicensed(firm)
    await mustBe(200, renew(firm, { status: 'EXPIRED' }))
    await mustBe(200, renew(firm, { status: 'ACTIVE', quantityPurchased: 1 }))
    expect(await check(firm, worker)).toMatchObject({ hasLicense: true })
    await setStatus('SUSPENDED')
    await setStatus('ACTIVE')
    await expectWithout(firm, worker)
    expect(await seatsOf(firm)).toMatchObject({ quantityAssigned: 2, quantityAvailable: 0 })
  })

  test('who is removed while suspended leaves nothing behind', async () => {
    const { firm, setStatus, remove } = await openSmall()
    await setStatus('SUSPENDED')
    await remove()
    expect(await rowsOf(firm)).toEqual([])
    await expectFree(firm, 1)
  })
})

describe('the seat is free', () => {
  /** Somebody with a seat who can sign in. */
  async function newLeaver(firm: Firm) {
    const somebody = await newSomebody(service)
    const membershipId = await employ(service, firm.company, somebody)
    await mustBe(201, grant(firm, somebody))
    return { ...somebody, membershipId }
  }

  test('when its holder deletes the account, and is not theirs when they take that back', async () => {
    const firm = await openFirm(service, { seats: 1 })
    const leaver = await newLeaver(firm)
    const farewell = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
    await mustBe(200, leaver.call('DELETE', '/api/users/me', farewell))
    await expectWithout(firm, leaver)
    await expectFree(firm, 1)
    expect(await rowsOf(firm)).toEqual([])
    const { email } = leaver
    const back = { method: 'POST', body: { email, password: PASSWORD } }
    await mustBe(200, call(`${service.url}/api/auth/restore`, back))
    await expectWithout(firm, leaver)
    await expectFree(firm, 1)
    await mustBe(201, grant(firm, leaver))
    expect(await holders(firm)).toEqual([leaver.id])
  })

  test('when the tenant is deleted, with the subscription', async () => {
    const { firm, owner } = await openSmall()
    await mustBe(200, owner.call('DELETE', `/api/tenants/${firm.company.id}`))
    const { db } = service.ctx
    for (const table of ['seats', 'subscriptions'] as const) {
      const left = await db.selectFrom(table).select('id').where('tenant_id', '=', firm.company.id).execute()
      expect(left).toEqual([])
    }
  })
})

test('somebody whose account is disabled has no licence until it is enabled again', async () => {
  const firm = await openFirm(service)
  const worker = await hireLicensed(firm)
  const disable = async (disabled: boolean) => {
    await service.ctx.db.updateTable('users').set({ disabled }).where('id', '=', worker.id).execute()
    await service.ctx.changes.settle()
  }
  await disable(true)
  await expectWithout(firm, worker)
  await disable(false)
  expect(await check(firm, worker)).toMatchObject({ hasLicense: true })
  expect(await holders(firm)).toEqual([worker.id])
})

describe.each(['TENANT_WIDE', 'FREE'] as const)('where one licence is for all (%s)', (mode) => {
  test('every ACTIVE member has it, from when they joined or it began, and no other', async () => {
    const firm = await openFirm(service, { mode })
    const type = mode === 'FREE' ? 'basic' : 'pro'
    const early = await hire(firm)
    service.advance(DAY)
    if (mode === 'TENANT_WIDE') {
      await mustBe(200, renew(firm, { status: 'EXPIRED' }))
      expect(await holders(firm)).toEqual([])
      await mustBe(200, renew(firm, { status: 'ACTIVE' }))
    }
    const late = await hire(firm)
    const invited = await newSomebody(service)
    await employ(service, firm.company, invited, { status: 'INVITED' })
    const { db } = service.ctx
    const joined = await db
      .selectFrom('memberships')
      .select(['user_id', 'joined_at'])
      .where('tenant_id', '=', firm.company.id)
      .execute()
    const { current_period_start: start } = await db
      .selectFrom('subscriptions')
      .select('current_period_start')
      .where('id', '=', firm.subscriptionId)
      .executeTakeFirstOrThrow()
    const since = ({ id }: Worker) => {
      const at = joined.find(({ user_id }) => user_id === id)?.joined_at as Date
      return (mode === 'TENANT_WIDE' && start > at ? start : at).toISOString()
    }
    for (const worker of [early, late]) {
      expect(await check(firm, worker)).toMatchObject({ licenseType: type, assignedAt: since(worker) })
      expect(await grant(firm, worker)).toMatchObject({ status: 400, body: { error: 'ALREADY_LICENSED' } })
    }
    expect(await holders(firm)).toEqual([early.id, late.id])
    expect(await check(firm, invited)).toEqual(NOTHING)
    await db
      .updateTable('memberships')
      .set({ status: 'SUSPENDED' })
      .where('id', '=', late.membershipId)
      .execute()
    await service.ctx.changes.settle()
    await expectWithout(firm, late)
  })

  test('the tokens of members say so too', async () => {
    const firm = await openFirm(service, { mode })
    const member = await newSomebody(service)
    await employ(service, firm.company, member)
    const { access_token } = await obtainTokens(service.url, member.cookie, { tenant: firm.company.slug })
    const headers = { authorization: `Bearer ${access_token}` }
    const path = `/api/integration/licenses/type?applicationId=${firm.applicationId}`
    const { body } = await call(service.url + path, { method: 'GET', headers })
    expect(body).toEqual({ licenseType: mode === 'FREE' ? 'basic' : 'pro' })
  })
})
