import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, logIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startWorld } from '../support/world.ts'
import { type Host, type Invited, JOINED, NEWCOMER, newHost, OPEN, outcomeOf } from './guests.ts'
import { openTab, type Shown } from './tab.ts'

let service: TestService
let host: Host
beforeAll(async () => {
  service = await startWorld()
  host = await newHost(service, { given_name: 'Hanna', family_name: 'Host', tenantName: 'Harbour House' })
})
afterAll(() => service.close())

const outcome = (invited: Invited) => outcomeOf(service, host, invited)
const tab = (cookie?: string) => openTab(service.url, cookie)

const invalidFields = ({ html }: Shown) =>
  [...html.matchAll(/<input[^>]*>/g)]
    .map(([input]) => input)
    .filter((input) => input.includes('aria-invalid'))
    .map((input) => / name="([^"]*)"/.exec(input)?.[1])

test.each([
  [
    { password: 'password1' },
    'This password is one of the first that others try. Choose another.',
    'password',
  ],
  [{ password: 'short' }, 'The password must have at least 8 characters.', 'password'],
  [{ password: '' }, 'The password must have at least 8 characters.', 'password'],
  [{ givenName: '  ' }, 'The given name must be one line of 1 to 100 characters.', 'givenName'],
  [{ familyName: 'Gu\u202eest' }, 'The family name must be one line of 1 to 100 characters.', 'familyName'],
  [{ familyName: 'G'.repeat(101) }, 'The family name must be one line of 1 to 100 characters.', 'familyName'],
])('who sends %j is told what is wrong, loses nothing, and can mend it', async (mistake, message, field) => {
  const invited = await host.invite()
  const browser = tab()
  await browser.open(invited.path)
  const sent = { ...NEWCOMER, ...mistake }
  const refused = await browser.press(sent)
  expect(refused.status).toBe(422)
  expect(refused.html).toContain(`role="alert">${message}<`)
  expect(invalidFields(refused)).toEqual([field])
  for (const name of [sent.givenName, sent.familyName]) expect(refused.html).toContain(`value="${name}"`)
  expect(refused.html).not.toContain(NEWCOMER.password)
  expect(await outcome(invited)).toMatchObject(OPEN)
  expect((await logIn(service.url, invited.email, sent.password || 'x')).status).toBe(401)
  expect((await browser.press(NEWCOMER)).status).toBe(200)
  expect(await outcome(invited)).toMatchObject(JOINED)
})

test('who chooses a password is a member, signed in, confirmed, and can sign in elsewhere', async () => {
  const invited = await host.invite({ role: 'admin' })
  const browser = tab()
  await browser.open(invited.path)
  // The address in the form is for reading only.
  const joined = await browser.press({ ...NEWCOMER, email: 'mia@acme.test', role: 'owner' })
  expect(joined.text).toBe(
    `You are now a member of Harbour House You are signed in as ${invited.email}. Go to your account`,
  )
  expect(await outcome(invited)).toMatchObject({ ...JOINED, role: 'admin' })
  expect((await browser.open('/account')).text).toMatch(/^Hello Greta Guest You are signed in as/)
  const elsewhere = await logIn(service.url, invited.email, NEWCOMER.password)
  expect(await elsewhere.json()).toMatchObject({ user: { email: invited.email, emailVerified: true } })
})

test('who sends the form after somebody signed up with the address changes nothing of that account', async () => {
  const invited = await host.invite()
  const browser = tab()
  await browser.open(invited.path)
  await signUpMeanwhile(invited.email)
  const refused = await browser.press(NEWCOMER)
  expect(refused.status).toBe(401)
  expect(refused.text).toContain('sign in to it to accept.')
  expect(refused.text).toContain('Sign in to accept')
  expect((await logIn(service.url, invited.email, PASSWORD)).status).toBe(200)
  expect(await outcome(invited)).toMatchObject(OPEN)
})

const signUpMeanwhile = (email: string) =>
  call(`${service.url}/api/auth/register`, { method: 'POST', body: { email, password: PASSWORD } })

test('of two who send the form at once one joins, and the other is told that it is done', async () => {
  const invited = await host.invite()
  const tabs = [tab(), tab()]
  for (const browser of tabs) await browser.open(invited.path)
  const answers = await Promise.all(tabs.map((browser) => browser.press(NEWCOMER)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(await outcome(invited)).toMatchObject(JOINED)
})
