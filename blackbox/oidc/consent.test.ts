import { expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { authorize, readRedirect } from '../support/oauth.ts'
import { completePages, findButton, followRedirects, pressButton, readForms } from '../support/pages.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, type Fields, unique } from '../support/service.ts'

// A third-party application requires consent; a trusted one does not.
const thirdParty = await newClient(await newApplication({ trusted: false }), 'SPA')
const DENY = /deny|cancel|decline|refuse|no\b/i

async function consentForm(page: Response) {
  const form = (await readForms(page)).find((candidate) => findButton(candidate, DENY))
  if (!form) throw new Error(`no way to refuse at ${page.url}: ${page.status}`)
  return form
}

test('T024: consent denied is access_denied with state, and no code', async () => {
  const person = await newPerson()
  const browser = await person.signIn()
  const state = unique('state')
  const page = await authorize(browser, thirdParty, { state })
  expect(page.status).toBe(200)
  const response = readRedirect(
    await followRedirects(browser, await pressButton(browser, await consentForm(page), DENY)),
  )
  expect(response).toMatchObject({ error: 'access_denied', state, iss: baseUrl })
  expect(response).not.toHaveProperty('code')
})

test('T022: prompt=none is an error before consent and succeeds after it', async () => {
  const person = await newPerson()
  const browser = await person.signIn()
  const silently = async (extra: Fields = {}) =>
    readRedirect(await authorize(browser, thirdParty, { prompt: 'none', scope: 'openid profile', ...extra }))
  expect((await silently()).error).toMatch(/^(consent|interaction)_required$/)
  const page = await authorize(browser, thirdParty, { scope: 'openid profile' })
  expect(readRedirect(await completePages(browser, page, person))).toHaveProperty('code')
  expect(await silently()).toHaveProperty('code')
  // The consent covers the profile scope, not the email scope.
  expect((await silently({ scope: 'openid profile email' })).error).toMatch(/^(consent|interaction)_required$/)
})

test('T024: prompt=consent asks again', async () => {
  const person = await newPerson()
  const browser = await person.signIn()
  await completePages(browser, await authorize(browser, thirdParty), person)
  expect((await authorize(browser, thirdParty, { prompt: 'consent' })).status).toBe(200)
})

test('T024: the URL after the consent page does not work for another person', async () => {
  const [one, other] = [await (await newPerson()).signIn(), await (await newPerson()).signIn()]
  const agreed = await pressButton(one, await consentForm(await authorize(one, thirdParty)), /allow/i)
  const next = agreed.headers.get('location') ?? ''
  const response = await followRedirects(other, await other.get(next))
  expect(response.headers.get('location') ?? '').not.toContain('code=')
  // It works for the person who gave consent.
  expect(readRedirect(await followRedirects(one, await one.get(next)))).toHaveProperty('code')
})

test('T024: a consent form from another site, or without its CSRF token, issues no code', async () => {
  const browser = await (await newPerson()).signIn()
  const form = await consentForm(await authorize(browser, thirdParty))
  const allow = form.buttons.find(({ label }) => !DENY.test(label))
  const choice = allow?.name ? { [allow.name]: allow.value } : {}
  const send = async (fields: Fields, headers?: Record<string, string>) =>
    (await followRedirects(browser, await browser.post(form.action, fields, headers))).headers.get('location') ?? ''
  expect(await send({ ...form.fields, ...choice }, { origin: 'https://evil.test' })).not.toContain('code=')
  expect(await send(choice)).not.toContain('code=')
  // The same form works when the person sends it.
  expect(await send({ ...form.fields, ...choice })).toContain('code=')
})
