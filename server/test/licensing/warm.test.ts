import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { addPerson, call } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { startWorld } from '../support/world.ts'
import {
  type Firm,
  grant,
  hire,
  hireLicensed,
  mustBe,
  NOTHING,
  openFirm,
  revoke,
  tokenOf,
  type Worker,
} from './firm.ts'

// A check costs the database nothing the second time.

let service: TestService
let watch: StatementWatch
beforeAll(async () => {
  service = await startWorld()
  watch = await watchStatements(service)
})
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

describe('no statement is asked for', () => {
  let firm: Firm
  let holder: Worker
  beforeAll(async () => {
    firm = await openFirm(service)
    holder = await hireLicensed(firm)
  })

  const WHOM: [string, () => Promise<string>, boolean][] = [
    ['who has a licence', async () => holder.id, true],
    ['who has none', async () => (await hire(firm)).id, false],
    ['who is in no tenant', async () => (await addPerson(service)).id, false],
    ['whom nobody knows', async () => newId(), false],
    ['who cannot be', async () => 'nobody at all', false],
  ]
  const DOORS: [string, string, string][] = [
    ['a check', 'GET', '/check?'],
    ['a check by POST', 'POST', '/check?'],
    ['a feature', 'GET', '/feature?featureKey=edit&'],
    ['a type', 'GET', '/type?'],
  ]

  test.each(WHOM)('to tell again about somebody %s', async (_, whom, licensed) => {
    const userId = await whom()
    const headers = { authorization: `Bearer ${await tokenOf(firm)}` }
    const query = new URLSearchParams({ userId, applicationId: firm.applicationId })
    const asking = (method: string, path: string) =>
      call(`${service.url}/api/integration/licenses${path}${query}`, { method, headers })
    const first = await asking('GET', '/check?')
    expect(first.body.hasLicense).toBe(licensed)
    for (const [name, method, path] of DOORS) {
      let status = 0
      const work = async () => {
        for (let count = 0; count < 3; count++) status = (await asking(method, path)).status
      }
      expect([name, await watch.list(work), status]).toEqual([name, [], 200])
    }
    expect((await asking('GET', '/check?')).body).toEqual(first.body)
  })

  /** Asks with one and the same token. */
  const newAsking = async (asked: Firm) => {
    const headers = { authorization: `Bearer ${await tokenOf(asked)}` }
    return async (userId: string, more: Record<string, string> = {}) => {
      const query = new URLSearchParams({ userId, applicationId: asked.applicationId, ...more })
      const address = `${service.url}/api/integration/licenses/check?${query}`
      return (await call(address, { method: 'GET', headers })).body
    }
  }

  test('when the answer must be as fresh as one that it is known to be', async () => {
    const other = await hire(firm)
    const asking = await newAsking(firm)
    await asking(holder.id)
    const { headers } = await mustBe(201, grant(firm, other))
    const minRevision = headers.get('x-license-revision') ?? ''
    expect(await watch.count(() => asking(holder.id, { minRevision }))).toBe(1)
    expect(await watch.list(() => asking(holder.id, { minRevision }))).toEqual([])
    await mustBe(200, revoke(firm, other))
  })

  test('to know that a subscription has run out', async () => {
    const currentPeriodEnd = new Date(service.ctx.now().getTime() + 60_000)
    const brief = await openFirm(service, { currentPeriodEnd })
    const worker = await hireLicensed(brief)
    const asking = await newAsking(brief)
    expect(await asking(worker.id)).toMatchObject({ hasLicense: true })
    service.advance(61_000)
    // Whatever else has become old by the clock is read anew here.
    await asking(newId())
    expect(await watch.list(async () => expect(await asking(worker.id)).toEqual(NOTHING))).toEqual([])
  })
})
