import { expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { authorize, landing } from '../support/oauth.ts'
import { follow, goThrough, press, pressable, readForms } from '../support/pages.ts'
import { newPerson } from '../support/person.ts'
import { base, type Fields, unique } from '../support/service.ts'

// A third-party application asks the person first; ours do not.
const stranger = await newClient(await newApplication({ trusted: false }), 'SPA')
const DENY = /deny|cancel|decline|refuse|no\b/i

async function consentForm(page: Response) {
  const form = (await readForms(page)).find((candidate) => pressable(candidate, DENY))
  if (!form) throw new Error(`no way to refuse at ${page.url}: ${page.status}`)
  return form
}

test('T024: consent denied is access_denied with state, and no code', async () => {
  const person = await newPerson()
  const browser = await person.signIn()
  const state = unique('state')
  const page = await authorize(browser, stranger, { state })
  expect(page.status).toBe(200)
  const answer = landing(await follow(browser, await press(browser, await consentForm(page), DENY)))
  expect(answer).toMatchObject({ error: 'access_denied', state, iss: base })
  expect(answer).not.toHaveProperty('code')
})

test('T022: prompt=none is an error before consent and silent after it', async () => {
  const person = await newPerson()
  const browser = await person.signIn()
  const silently = async (extra: Fields = {}) =>
    landing(await authorize(browser, stranger, { prompt: 'none', scope: 'openid profile', ...extra }))
  expect((await silently()).error).toMatch(/^(consent|interaction)_required$/)
  const page = await authorize(browser, stranger, { scope: 'openid profile' })
  expect(landing(await goThrough(browser, page, person))).toHaveProperty('code')
  expect(await silently()).toHaveProperty('code')
  // What was agreed to was the profile, not the address.
  expect((await silently({ scope: 'openid profile email' })).error).toMatch(
    /^(consent|interaction)_required$/,
  )
})

test('T024: prompt=consent asks again', async () => {
  const person = await newPerson()
  const browser = await person.signIn()
  await goThrough(browser, await authorize(browser, stranger), person)
  expect((await authorize(browser, stranger, { prompt: 'consent' })).status).toBe(200)
})

test('T024: the agreement of one person is not the agreement of whoever opens its next address', async () => {
  const [one, other] = [await (await newPerson()).signIn(), await (await newPerson()).signIn()]
  const agreed = await press(one, await consentForm(await authorize(one, stranger)), /allow/i)
  const next = agreed.headers.get('location') ?? ''
  const response = await follow(other, await other.get(next))
  expect(response.headers.get('location') ?? '').not.toContain('code=')
  // It leads on for the person who agreed.
  expect(landing(await follow(one, await one.get(next)))).toHaveProperty('code')
})

test('T024: a consent form sent from another site, or without its token, gives no code', async () => {
  const browser = await (await newPerson()).signIn()
  const form = await consentForm(await authorize(browser, stranger))
  const allow = form.buttons.find(({ label }) => !DENY.test(label))
  const choice = allow?.name ? { [allow.name]: allow.value } : {}
  const send = async (fields: Fields, headers?: Record<string, string>) =>
    (await follow(browser, await browser.post(form.action, fields, headers))).headers.get('location') ?? ''
  expect(await send({ ...form.fields, ...choice }, { origin: 'https://evil.test' })).not.toContain('code=')
  expect(await send(choice)).not.toContain('code=')
  // The very form was good: it works when the person sends it.
  expect(await send({ ...form.fields, ...choice })).toContain('code=')
})
