import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { whileDeaf } from '../support/deaf.ts'
import { rounds } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import {
  callAsOps,
  change,
  check,
  type Firm,
  grant,
  hire,
  mustBe,
  openFirm,
  renew,
  revoke,
  seenFrom,
  subscribe,
  tokenOf,
  typeOf,
  type Worker,
} from './firm.ts'

// What is done on one node is known to that node at once, to the others a moment later, and at once to whoever says
// how fresh the answer must be.

let here: TestService
let there: TestService
beforeAll(async () => {
  here = await startWorld()
  there = await startService({ beside: here })
})
afterAll(async () => {
  await there?.close()
  await here?.close()
})

let firm: Firm
let afar: Firm
let worker: Worker
beforeEach(async () => {
  firm = await openFirm(here)
  afar = seenFrom(there, firm)
  await subscribe(firm, 'basic', { quantityPurchased: 1 })
  worker = await hire(firm)
  // Known to both nodes.
  for (const seen of [firm, afar]) expect(await typeOf(seen, worker)).toBe(null)
})

describe('on the other node', () => {
  test('a grant, another type and a revocation are known', async () => {
    await mustBe(201, grant(firm, worker))
    await expect.poll(() => typeOf(afar, worker)).toBe('pro')
    await mustBe(200, change(firm, worker, 'basic'))
    await expect.poll(() => typeOf(afar, worker)).toBe('basic')
    await mustBe(200, revoke(afar, worker))
    await expect.poll(() => typeOf(firm, worker)).toBe(null)
  })

  test('what is done to a subscription, a type or an application is known', async () => {
    await mustBe(201, grant(firm, worker))
    await expect.poll(() => typeOf(afar, worker)).toBe('pro')
    await mustBe(200, renew(firm, { status: 'EXPIRED' }))
    await expect.poll(() => typeOf(afar, worker)).toBe(null)
    await mustBe(200, renew(firm, { status: 'ACTIVE' }))
    await expect.poll(() => typeOf(afar, worker)).toBe('pro')
    const path = `/api/licensing/license-types/${firm.types.pro}`
    await mustBe(200, callAsOps(here, 'PATCH', path, { slug: 'renamed' }))
    await expect.poll(() => typeOf(afar, worker)).toBe('renamed')
    const application = `/api/admin/applications/${firm.applicationId}`
    await mustBe(200, callAsOps(here, 'PATCH', application, { licensingMode: 'FREE' }))
    await expect.poll(() => typeOf(afar, worker)).toBe('basic')
  })

  test('whoever says how fresh it must be is answered right at once', async () => {
    const fresh = (minRevision: string | null, inHeader: boolean) =>
      inHeader ? typeByHeader(minRevision ?? '') : typeOf(afar, worker, { minRevision: minRevision ?? '' })
    for (const round of rounds(30)) {
      const granted = await mustBe(201, grant(firm, worker))
      expect(await fresh(granted.headers.get('x-license-revision'), round % 2 === 0)).toBe('pro')
      const revoked = await mustBe(200, revoke(firm, worker))
      expect(await fresh(revoked.headers.get('x-license-revision'), round % 2 === 1)).toBe(null)
    }
  })

  const typeByHeader = async (revision: string) => {
    const query = new URLSearchParams({ userId: worker.id, applicationId: firm.applicationId })
    const headers = { authorization: `Bearer ${await tokenOf(afar)}`, 'X-License-Min-Revision': revision }
    const response = await fetch(`${there.url}/api/integration/licenses/type?${query}`, { headers })
    return ((await response.json()) as { licenseType: unknown }).licenseType
  }
})

describe('while the nodes do not hear of changes', () => {
  test('nothing is answered that is not so any more, and nothing is lost when they hear again', async () => {
    await whileDeaf([here, there], async () => {
      for (const _round of rounds(5)) {
        await mustBe(201, grant(firm, worker))
        await expect.poll(() => typeOf(afar, worker)).toBe('pro')
        expect(await typeOf(firm, worker)).toBe('pro')
        await mustBe(200, revoke(firm, worker))
        await expect.poll(() => typeOf(afar, worker)).toBe(null)
        expect(await typeOf(firm, worker)).toBe(null)
      }
      await mustBe(201, grant(firm, worker))
    })
    await expect
      .poll(() => here.ctx.changes.isCurrent() && there.ctx.changes.isCurrent(), { timeout: 5000 })
      .toBe(true)
    // A line may have been cut a moment ago: by now it hears everything, or it is known to hear nothing.
    await Promise.all([here, there].map(({ ctx }) => ctx.changes.settle()))
    expect([await typeOf(firm, worker), await typeOf(afar, worker)]).toEqual(['pro', 'pro'])
    await mustBe(200, revoke(firm, worker))
    await expect.poll(() => typeOf(afar, worker)).toBe(null)
  })

  test('a change past the service between two lines is not missed', async () => {
    await mustBe(201, grant(firm, worker))
    for (const seen of [firm, afar]) await expect.poll(() => typeOf(seen, worker)).toBe('pro')
    const client = new pg.Client(here.connection.direct)
    await client.connect()
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
       and pid <> pg_backend_pid() and query in ('listen latchkey_changes', 'select 1')`,
    )
    await client.query('delete from seats where user_id = $1', [worker.id])
    await client.end()
    for (const seen of [firm, afar]) {
      await expect.poll(async () => (await check(seen, worker)).hasLicense).toBe(false)
    }
  })
})
