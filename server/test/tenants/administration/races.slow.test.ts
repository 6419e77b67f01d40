import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiResponse, call, createSignedInUser } from '../../account/people.ts'
import { JOINED, OPEN, outcomeOf } from '../../invitations/hosts.ts'
import { acceptInvitation, createHost } from '../../invitations/invitation-api.ts'
import {
  addTenantMember,
  callAsOps,
  getMachineToken,
  grant,
  listSeatRows,
  requireStatus,
} from '../../licensing/licensed-tenant.ts'
import { collide, countDeadlocks, type LockStatement } from '../../support/locks.ts'
import { rounds } from '../../support/rounds.ts'
import type { TestService } from '../../support/service.ts'
import { introspect, machineToken, refresh, startDemoService, userinfo } from '../../support/world.ts'
import { createFixture, setSuspended } from './fixture.ts'

let service: TestService
let ops: string
beforeAll(async () => {
  service = await startDemoService()
  ops = await machineToken(service.url, 'demo-ops')
})
afterAll(() => service?.close())

/** Uses a token obtained beforehand, so that the suspension is not always the slower request. */
const suspend = ({ id }: { id: string }): Promise<ApiResponse> =>
  call(`${service.url}/api/admin/tenants/${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${ops}` },
    body: { suspended: true },
  })
const tenantLock = ({ id }: { id: string }): LockStatement => ({
  statement: 'select from tenants where id = $1 for update',
  values: [id],
})

/** Repeats two concurrent requests and expects no deadlock. */
async function repeat(work: (round: number) => Promise<void>): Promise<void> {
  const before = await countDeadlocks(service)
  for (const round of rounds(20)) await work(round)
  expect(await countDeadlocks(service)).toBe(before)
}

describe('concurrently with a suspension', () => {
  test('an acceptance of an invitation either comes first or is refused', async () => {
    const host = await createHost(service)
    // The mail quota allows ten invitations per address and hour.
    const guests = [await createSignedInUser(service), await createSignedInUser(service)] as const
    await repeat(async (round) => {
      const guest = guests[round % 2 === 0 ? 0 : 1]
      const invitation = await host.invite({ email: guest.email })
      const [suspended, accepted] = await Promise.all([
        suspend(host.tenant),
        acceptInvitation(service, invitation.token, { as: guest }),
      ])
      expect(suspended.status).toBe(200)
      const joined = accepted.status === 200
      if (!joined) expect(accepted.body).toMatchObject({ error: 'TENANT_SUSPENDED' })
      expect(await outcomeOf(service, host, invitation)).toMatchObject(joined ? JOINED : OPEN)
      await setSuspended(service, host.tenant, false)
      const path = `/api/admin/tenants/${host.tenant.id}/members/${guest.id}`
      await requireStatus(200, callAsOps(service, 'DELETE', path))
    })
  })

  test('a seat is either granted first or refused', async () => {
    const { firm } = await createFixture(service, { seats: 100 })
    await repeat(async () => {
      const worker = await addTenantMember(firm)
      const hasSeat = async () => (await listSeatRows(firm)).some(({ user_id }) => user_id === worker.id)
      // Obtained before the suspension.
      const token = await getMachineToken(firm)
      const [suspended, granted] = await Promise.all([suspend(firm.company), grantWith(token, worker)])
      expect(suspended.status).toBe(200)
      expect([201, 401, 403]).toContain(granted.status)
      if (granted.status === 403) expect(granted.body).toMatchObject({ error: 'TENANT_SUSPENDED' })
      expect(await hasSeat()).toBe(granted.status === 201)
      expect((await grantWith(token, worker)).status).toBe(401)
      await setSuspended(service, firm.company, false)
    })

    async function grantWith(token: string, { id: userId }: { id: string }) {
      const response = await fetch(`${service.url}/api/integration/licenses/grant`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          userId,
          applicationId: firm.applicationId,
          licenseTypeId: firm.types.pro,
        }),
      })
      return { status: response.status, body: await response.json() }
    }
  })

  test('tokens of a refresh are refused, and the grant family works again after reactivation', async () => {
    const fixture = await createFixture(service)
    let { refresh_token } = fixture.tokens
    await repeat(async () => {
      const [suspended, refreshed] = await Promise.all([
        suspend(fixture.firm.company),
        refresh(service.url, refresh_token),
      ])
      expect(suspended.status).toBe(200)
      if (refreshed.status === 200) {
        refresh_token = refreshed.body.refresh_token
        expect(await userinfo(service.url, refreshed.body.access_token)).toBe(401)
        expect(await introspect(service.url, refresh_token)).toEqual({ active: false })
      } else expect(refreshed.body).toMatchObject({ error: 'invalid_grant' })
      await setSuspended(service, fixture.firm.company, false)
      const again = await refresh(service.url, refresh_token)
      expect(again.status).toBe(200)
      refresh_token = again.body.refresh_token
    })
  })
})

describe('a request that waits for the lock of a suspension', () => {
  test('does not join the tenant', async () => {
    const host = await createHost(service)
    const guest = await createSignedInUser(service)
    const invitation = await host.invite({ email: guest.email })
    const [suspended, accepted] = await collide(service, tenantLock(host.tenant), [
      () => suspend(host.tenant),
      () => acceptInvitation(service, invitation.token, { as: guest }),
    ])
    expect([suspended.status, accepted.body.error]).toEqual([200, 'TENANT_SUSPENDED'])
    expect(await outcomeOf(service, host, invitation)).toMatchObject(OPEN)
  })

  test('grants no seat and changes nothing', async () => {
    const { firm, owner } = await createFixture(service)
    const worker = await addTenantMember(firm)
    const granting = await collide(service, tenantLock(firm.company), [
      () => suspendElsewhere(firm.company),
      () => grant(firm, worker),
    ])
    expect([granting[0], granting[1].body.error]).toEqual([1, 'TENANT_SUSPENDED'])
    await setSuspended(service, firm.company, false)
    const renaming = await collide(service, tenantLock(firm.company), [
      () => suspendElsewhere(firm.company),
      () => owner.call('PATCH', `/api/tenants/${firm.company.id}`, { name: 'Renamed' }),
    ])
    expect([renaming[0], renaming[1].body.error]).toEqual([1, 'TENANT_SUSPENDED'])
  })

  /** As another node does it, without the queue of this node. */
  const suspendElsewhere = async ({ id }: { id: string }): Promise<number> => {
    const result = await service.ctx.db
      .updateTable('tenants')
      .set({ suspended_at: new Date() })
      .where('id', '=', id)
      .executeTakeFirst()
    return Number(result.numUpdatedRows)
  }
})
