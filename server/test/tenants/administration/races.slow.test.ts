import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, call, newSomebody } from '../../account/people.ts'
import { accept, openHouse } from '../../invitations/desk.ts'
import { JOINED, OPEN, outcomeOf } from '../../invitations/guests.ts'
import { callAsOps, grant, hire, mustBe, rowsOf, tokenOf } from '../../licensing/firm.ts'
import { collide, deadlocksIn, type Hold } from '../../support/locks.ts'
import { rounds } from '../../support/rounds.ts'
import type { TestService } from '../../support/service.ts'
import { introspect, machineToken, refresh, startWorld, userinfo } from '../../support/world.ts'
import { newScene, setSuspended } from './scene.ts'

let service: TestService
let ops: string
beforeAll(async () => {
  service = await startWorld()
  ops = await machineToken(service.url, 'demo-ops')
})
afterAll(() => service?.close())

/** With a token that was asked for before, so that it is not always the other who is first. */
const suspend = ({ id }: { id: string }): Promise<Answer> =>
  call(`${service.url}/api/admin/tenants/${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${ops}` },
    body: { suspended: true },
  })
const atTenant = ({ id }: { id: string }): Hold => ({
  statement: 'select from tenants where id = $1 for update',
  values: [id],
})

/** Lets the two go at once, in either order, over and over; nobody waits in a circle, and nothing fails. */
async function repeat(work: (round: number) => Promise<void>): Promise<void> {
  const before = await deadlocksIn(service)
  for (const round of rounds(20)) await work(round)
  expect(await deadlocksIn(service)).toBe(before)
}

describe('while a tenant is being suspended', () => {
  test('whoever accepts an invitation has joined before, or has not joined', async () => {
    const host = await openHouse(service)
    // To one address no more than ten invitations go in an hour.
    const guests = [await newSomebody(service), await newSomebody(service)] as const
    await repeat(async (round) => {
      const guest = guests[round % 2 === 0 ? 0 : 1]
      const invitation = await host.invite({ email: guest.email })
      const [suspended, accepted] = await Promise.all([
        suspend(host.tenant),
        accept(service, invitation.token, { as: guest }),
      ])
      expect(suspended.status).toBe(200)
      const joined = accepted.status === 200
      if (!joined) expect(accepted.body).toMatchObject({ error: 'TENANT_SUSPENDED' })
      expect(await outcomeOf(service, host, invitation)).toMatchObject(joined ? JOINED : OPEN)
      await setSuspended(service, host.tenant, false)
      const path = `/api/admin/tenants/${host.tenant.id}/members/${guest.id}`
      await mustBe(200, callAsOps(service, 'DELETE', path))
    })
  })

  test('whoever is given a seat has it before, or has none', async () => {
    const { firm } = await newScene(service, { seats: 100 })
    await repeat(async () => {
      const worker = await hire(firm)
      const held = async () => (await rowsOf(firm)).some(({ user_id }) => user_id === worker.id)
      // Asked for while the tenant is open.
      const token = await tokenOf(firm)
      const [suspended, granted] = await Promise.all([suspend(firm.company), grantWith(token, worker)])
      expect(suspended.status).toBe(200)
      expect([201, 401, 403]).toContain(granted.status)
      if (granted.status === 403) expect(granted.body).toMatchObject({ error: 'TENANT_SUSPENDED' })
      expect(await held()).toBe(granted.status === 201)
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

  test('whatever a refresh yields is dead, and the family is whole afterwards', async () => {
    const scene = await newScene(service)
    let { refresh_token } = scene.tokens
    await repeat(async () => {
      const [suspended, refreshed] = await Promise.all([
        suspend(scene.firm.company),
        refresh(service.url, refresh_token),
      ])
      expect(suspended.status).toBe(200)
      if (refreshed.status === 200) {
        refresh_token = refreshed.body.refresh_token
        expect(await userinfo(service.url, refreshed.body.access_token)).toBe(401)
        expect(await introspect(service.url, refresh_token)).toEqual({ active: false })
      } else expect(refreshed.body).toMatchObject({ error: 'invalid_grant' })
      await setSuspended(service, scene.firm.company, false)
      const again = await refresh(service.url, refresh_token)
      expect(again.status).toBe(200)
      refresh_token = again.body.refresh_token
    })
  })
})

describe('who waits for a suspension', () => {
  test('does not join after it', async () => {
    const host = await openHouse(service)
    const guest = await newSomebody(service)
    const invitation = await host.invite({ email: guest.email })
    const [suspended, accepted] = await collide(service, atTenant(host.tenant), [
      () => suspend(host.tenant),
      () => accept(service, invitation.token, { as: guest }),
    ])
    expect([suspended.status, accepted.body.error]).toEqual([200, 'TENANT_SUSPENDED'])
    expect(await outcomeOf(service, host, invitation)).toMatchObject(OPEN)
  })

  test('gives no seat and changes nothing after it', async () => {
    const { firm, owner } = await newScene(service)
    const worker = await hire(firm)
    const granting = await collide(service, atTenant(firm.company), [
      () => suspendElsewhere(firm.company),
      () => grant(firm, worker),
    ])
    expect([granting[0], granting[1].body.error]).toEqual([1, 'TENANT_SUSPENDED'])
    await setSuspended(service, firm.company, false)
    const renaming = await collide(service, atTenant(firm.company), [
      () => suspendElsewhere(firm.company),
      () => owner.call('PATCH', `/api/tenants/${firm.company.id}`, { name: 'Renamed' }),
    ])
    expect([renaming[0], renaming[1].body.error]).toEqual([1, 'TENANT_SUSPENDED'])
  })

  /** As another node does it, which does not wait for its turn on this one. */
  const suspendElsewhere = async ({ id }: { id: string }): Promise<number> => {
    const done = await service.ctx.db
      .updateTable('tenants')
      .set({ suspended_at: new Date() })
      .where('id', '=', id)
      .executeTakeFirst()
    return Number(done.numUpdatedRows)
  }
})
