import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../account/people.ts'
import { openTab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { authorize, exchange, obtainTokens, signIn, startDemoService } from '../support/world.ts'
import { ALLOW_LOOPBACK, sendDue, signInTo, startRelyingParty } from './back-channel-logout/relying-party.ts'
import { askForCodes, follow, setDeviceFlow } from './device-steps.ts'
import { documentConfig, openConsent, REDIRECT_WITH_PORT, startPublisher } from './document-clients.ts'
import { type Information, manage, register } from './registration/calls.ts'

// The statement counts of docs/openid-connect.md, of requests that need a setting of the instance or a browser.

let service: TestService
let watch: StatementWatch
let url: string
let cookie: string

beforeAll(async () => {
  service = await startDemoService({
    config: { ...ALLOW_LOOPBACK, ...documentConfig(), clientRegistration: 'open' },
  })
  url = service.url
  watch = await watchStatements(service)
  cookie = await signIn(url, 'mia@acme.test')
  // Fills the caches.
  await obtainTokens(url, cookie)
})
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

/** The message of a failure lists the statements. */
async function expectStatements(expected: number, work: () => Promise<unknown>): Promise<void> {
  await service.ctx.changes.waitUntilCurrent()
  const statements = await watch.list(work)
  const total = statements.reduce((sum, { calls }) => sum + calls, 0)
  expect(total, JSON.stringify(statements, undefined, 2)).toBe(expected)
}

test('registration: twelve statements, two to read it, eighteen to change it, fifteen to delete it', async () => {
  await register(url)
  let client: Information | undefined
  await expectStatements(12, async () => {
    client = await register(url)
  })
  const own = client as Information
  const { registration_access_token: _, registration_client_uri: __, ...metadata } = own
  await expectStatements(2, () => manage('GET', own))
  const body = { ...metadata, client_name: 'Other' }
  await expectStatements(18, async () => expect((await manage('PUT', own, { body })).status).toBe(200))
  await expectStatements(15, async () => expect((await manage('DELETE', own)).status).toBe(204))
})

test('a client document: seven statements for the first page that asks, then five; 22 for the first consent, then nine', async () => {
  const publisher = await startPublisher()
  const first = { client_id: publisher.publishDocument() }
  const second = { client_id: publisher.publishDocument() }
  const open = (client: object) => authorize(url, cookie, { redirect_uri: REDIRECT_WITH_PORT, ...client })
  const redeem = async (code: string | undefined) => {
    const answer = await exchange(url, code, { ...second, redirect_uri: REDIRECT_WITH_PORT })
    expect(answer.status).toBe(200)
  }
  await open(first)
  await expectStatements(7, () => open(second))
  await expectStatements(5, () => open(second))
  let code: string | undefined
  const allow = async () => {
    const page = await openConsent(service, cookie, second)
    return async () => {
      code = (await page.decide('allow')).code
    }
  }
  // The client is stored once somebody allows it.
  await expectStatements(22, await allow())
  await redeem(code)
  await expectStatements(9, await allow())
  await expectStatements(2, () => redeem(code))
  publisher.close()
})

test('back-channel logout: none more for the sign-out, two for each token and one to find no other', async () => {
  const rp = await startRelyingParty(service)
  const signOut = async (session: string) => {
    const headers = { cookie: session, origin: url }
    expect((await call(`${url}/api/auth/logout`, { method: 'POST', headers, body: {} })).status).toBe(200)
  }
  const { cookie: warm } = await signInTo(url, rp)
  await signOut(warm)
  await sendDue(service)
  const { cookie: other } = await signInTo(url, rp)
  await expectStatements(5, () => signOut(other))
  await expectStatements(3, () => sendDue(service))
  await expectStatements(1, () => sendDue(service))
  expect(rp.received).toHaveLength(2)
  await rp.stop()
})

test('the pages of a device: none for the form, seven to type the code, twelve to allow it', async () => {
  await setDeviceFlow(service, 'demo-spa', true)
  const steps = async (count: (expected: number, work: () => Promise<unknown>) => Promise<void>) => {
    const { user_code } = (await askForCodes(url)).body
    const tab = openTab(url, cookie)
    await count(0, () => tab.open('/device'))
    let page: Awaited<ReturnType<typeof tab.submit>> | undefined
    await count(7, async () => {
      page = await follow(tab, await tab.submit({ user_code }))
    })
    await count(12, async () => follow(tab, await tab.submit({ decision: 'allow' })))
    return page
  }
  await steps(async (_, work) => void (await work()))
  await steps(expectStatements)
})
