import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, logIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { openTab, type PageView } from './browser-tab.ts'
import { createNamedHost, type Host, JOINED, NEW_USER, OPEN, outcomeOf, type SentInvitation } from './hosts.ts'

let service: TestService
let host: Host
beforeAll(async () => {
  service = await startDemoService()
  host = await createNamedHost(service, {
    given_name: 'Hanna',
    family_name: 'Host',
    tenantName: 'Harbour House',
  })
})
afterAll(() => service.close())

const outcome = (invited: SentInvitation) => outcomeOf(service, host, invited)
const tab = (cookie?: string) => openTab(service.url, cookie)

const invalidFields = ({ html }: PageView) =>
  [...html.matchAll(/<input[^>]*>/g)]
    .map(([input]) => input)
    .filter((input) => input.includes('aria-invalid'))
    .map((input) => / name="([^"]*)"/.exec(input)?.[1])

test.each([
  [{ password: 'password1' }, 'This password is one of the first that others try. Choose another.', 'password'],
  [{ password: 'short' }, 'The password must have at least 8 characters.', 'password'],
  [{ password: '' }, 'The password must have at least 8 characters.', 'password'],
  [{ givenName: '  ' }, 'The given name must be one line of 1 to 100 characters.', 'givenName'],
  [{ familyName: 'Gu\u202eest' }, 'The family name must be one line of 1 to 100 characters.', 'familyName'],
  [{ familyName: 'G'.repeat(101) }, 'The family name must be one line of 1 to 100 characters.', 'familyName'],
])('the form with %j shows the error, keeps the input, and can be corrected', async (mistake, message, field) => {
  const invited = await host.invite()
  const browser = tab()
  await browser.open(invited.path)
  const sent = { ...NEW_USER, ...mistake }
  const refused = await browser.submit(sent)
  expect(refused.status).toBe(422)
  expect(refused.html).toContain(`role="alert">${message}<`)
  expect(invalidFields(refused)).toEqual([field])
  for (const name of [sent.givenName, sent.familyName]) expect(refused.html).toContain(`value="${name}"`)
  expect(refused.html).not.toContain(NEW_USER.password)
  expect(await outcome(invited)).toMatchObject(OPEN)
  expect((await logIn(service.url, invited.email, sent.password || 'x')).status).toBe(401)
  expect((await browser.submit(NEW_USER)).status).toBe(200)
  expect(await outcome(invited)).toMatchObject(JOINED)
})

test('choosing a password creates a verified, signed-in member who can sign in elsewhere', async () => {
  const invited = await host.invite({ role: 'admin' })
  const browser = tab()
  await browser.open(invited.path)
  // The address of the form is ignored.
  const joined = await browser.submit({ ...NEW_USER, email: 'mia@acme.test', role: 'owner' })
  expect(joined.text).toBe(
    `You are now a member of Harbour House You are signed in as ${invited.email}. Go to your account`,
  )
  expect(await outcome(invited)).toMatchObject({ ...JOINED, role: 'admin' })
  expect((await browser.open('/account')).text).toMatch(/^Hello Greta Guest You are signed in as/)
  const elsewhere = await logIn(service.url, invited.email, NEW_USER.password)
  expect(await elsewhere.json()).toMatchObject({ user: { email: invited.email, emailVerified: true } })
})

test('the form does not change an account that was registered with the address meanwhile', async () => {
  const invited = await host.invite()
  const browser = tab()
  await browser.open(invited.path)
  await register(invited.email)
  const refused = await browser.submit(NEW_USER)
  expect(refused.status).toBe(401)
  expect(refused.text).toContain('sign in to it to accept.')
  expect(refused.text).toContain('Sign in to accept')
  expect((await logIn(service.url, invited.email, PASSWORD)).status).toBe(200)
  expect(await outcome(invited)).toMatchObject(OPEN)
})

const register = (email: string) =>
  call(`${service.url}/api/auth/register`, { method: 'POST', body: { email, password: PASSWORD } })

test('of two concurrent forms one joins, and the other shows that the invitation was accepted', async () => {
  const invited = await host.invite()
  const tabs = [tab(), tab()]
  for (const browser of tabs) await browser.open(invited.path)
  const answers = await Promise.all(tabs.map((browser) => browser.submit(NEW_USER)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(await outcome(invited)).toMatchObject(JOINED)
})
