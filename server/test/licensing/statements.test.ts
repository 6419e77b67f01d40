import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { machineToken, startWorld } from '../support/world.ts'
import { type Firm, hire, hireLicensed, openFirm, subscribe, tokenOf } from './firm.ts'

// What each door asks of the database, beginnings and ends of transactions included: whoever adds to it does so here.

let service: TestService
let watch: StatementWatch
let firm: Firm
let headers: Record<string, string>
let ops: Record<string, string>
beforeAll(async () => {
  service = await startWorld()
  watch = await watchStatements(service)
  firm = await openFirm(service, { seats: 20 })
  await subscribe(firm, 'basic', { quantityPurchased: 20 })
  headers = { authorization: `Bearer ${await tokenOf(firm)}` }
  ops = { authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}` }
})
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

const AT = '/api/integration/licenses'
const wish = (userId: string, type: 'basic' | 'pro' = 'pro') => ({
  ...{ userId, applicationId: firm.applicationId },
  licenseTypeId: firm.types[type],
})

const post = (path: string, body: unknown) => call(service.url + AT + path, { method: 'POST', headers, body })
const get = (path: string, as = headers) => call(service.url + path, { method: 'GET', headers: as })

const newcomer = async () => (await hire(firm)).id
const holder = async () => (await hireLicensed(firm)).id
const query = (userId: string) => new URLSearchParams({ userId, applicationId: firm.applicationId })

const DOORS: [string, number, () => Promise<string>, (userId: string) => Promise<{ status: number }>][] = [
  ['a check, the first time', 1, holder, (id) => get(`${AT}/check?${query(id)}`)],
  ['a grant', 2, newcomer, (id) => post('/grant', wish(id))],
  ['a revocation', 2, holder, (id) => post('/revoke', wish(id))],
  ['a change', 8, holder, (id) => post('/change', wish(id, 'basic'))],
  ['a list of holders', 4, holder, () => get(`${AT}/apps/${firm.applicationId}/users`)],
  ['a number of holders', 4, holder, () => get(`${AT}/apps/${firm.applicationId}/count`)],
  ['an explanation', 2, holder, (id) => get(`${AT}/explain?${query(id)}`)],
  ['an overview', 2, holder, () => get(`/api/licensing/tenants/${firm.company.id}/license-overview`, ops)],
  ['a page of the ledger', 2, holder, () => get(`/api/licensing/tenants/${firm.company.id}/ledger`, ops)],
]

test.each(DOORS)('%s takes %i', async (_name, many, prepare, work) => {
  // What is known of whoever asks is read before.
  await get(`${AT}/check?${query(await newcomer())}`)
  await get(`/api/licensing/tenants/${firm.company.id}/ledger?limit=1`, ops)
  const id = await prepare()
  const listed = await watch.list(async () => expect((await work(id)).status).toBeLessThan(300))
  const count = listed.reduce((sum, { calls }) => sum + calls, 0)
  expect({ count, listed }).toMatchObject({ count: many })
})

test('what tells of all holders is read behind the wall between tenants', async () => {
  for (const what of ['users', 'count']) {
    const listed = await watch.list(() => get(`${AT}/apps/${firm.applicationId}/${what}`))
    expect(listed.map(({ query }) => query).join()).toContain('enter_tenant')
  }
})
