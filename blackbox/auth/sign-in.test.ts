import { expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { openBrowser } from '../support/browser.ts'
import { call, ownOrigin, refusal } from '../support/calls.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import { getTokens, userinfo } from '../support/oauth.ts'
import { loginForm, readForms, submit } from '../support/pages.ts'
import { newConfirmedPerson, newPerson } from '../support/person.ts'
import { base, unique } from '../support/service.ts'
import { ask, isAlive, sessionOf, signedIn } from '../support/sign-in.ts'

const LOGIN = '/api/auth/login'
const person = await newConfirmedPerson()
const { email, password } = person
const spa = await newClient(await newApplication(), 'SPA')

test('a right password signs in, and the session of the answer is that of the browser', async () => {
  const browser = openBrowser()
  const { status, body } = await ask(browser, 'login', { email, password })
  expect(status).toBe(200)
  expect(body).toEqual(signedIn(email, { emailVerified: true }))
  const { access_token } = await getTokens(browser, spa)
  const { sid, sub, amr } = await verifyAccessToken(access_token)
  expect({ session: { id: sid }, user: { id: sub } }).toMatchObject({
    session: body.session,
    user: { id: (body.user as { id: string }).id },
  })
  expect(amr).toEqual(['pwd'])
})

test('the cookie is for this service alone: no script reads it, no other site sends it along', async () => {
  const response = await openBrowser().postJson(LOGIN, { email, password })
  const line = response.headers.getSetCookie().find((cookie) => cookie.includes('latchkey_session=')) ?? ''
  const [pair = '', ...attributes] = line.split('; ')
  const isHttps = base.startsWith('https:')
  expect(pair).toMatch(isHttps ? /^__Host-latchkey_session=[\w-]{43}$/ : /^latchkey_session=[\w-]{43}$/)
  const names = attributes.map((attribute) => attribute.split('=')[0]?.toLowerCase())
  expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax']))
  expect(names).not.toContain('domain')
  expect(names.includes('secure')).toBe(isHttps)
})

test('T095: the cookie is new at every sign-in, and one planted before is worthless after', async () => {
  const browser = openBrowser()
  browser.cookies.set('latchkey_session', 'A'.repeat(43))
  await ask(browser, 'login', { email, password })
  const first = sessionOf(browser)
  await ask(browser, 'login', { email, password })
  const second = sessionOf(browser)
  expect(new Set(['A'.repeat(43), first, second]).size).toBe(3)
  expect(await isAlive(browser)).toBe(true)
  for (const worthless of ['A'.repeat(43), first ?? '']) {
    const thief = openBrowser()
    thief.cookies.set('latchkey_session', worthless)
    expect(await isAlive(thief)).toBe(false)
  }
})

test('T094: a wrong password and an unknown address get the same answer', async () => {
  const answers = await Promise.all(
    [email, `${unique('nobody')}@blackbox.test`].map((address) =>
      call('POST', LOGIN, { body: { email: address, password: 'wrong password' } }),
    ),
  )
  for (const { status, body, headers } of answers) {
    expect(status).toBe(401)
    expect(body).toEqual(refusal(401, 'INVALID_CREDENTIALS'))
    expect(headers.getSetCookie()).toEqual([])
  }
  const [known, unknown] = answers
  expect(unknown?.body.message).toBe(known?.body.message)
  expect([...(unknown?.headers.keys() ?? [])]).toEqual([...(known?.headers.keys() ?? [])])
})

test('the letter case of an address does not matter, that of a password does', async () => {
  expect((await ask(openBrowser(), 'login', { email: email.toUpperCase(), password })).body).toEqual(
    signedIn(email, { emailVerified: true }),
  )
  expect((await ask(openBrowser(), 'login', { email, password: password.toUpperCase() })).status).toBe(401)
})

test('who has not confirmed their address may sign in, and carries that along', async () => {
  const unconfirmed = await newPerson()
  const browser = openBrowser()
  expect((await ask(browser, 'login', unconfirmed)).body).toEqual(signedIn(unconfirmed.email))
  const { access_token } = await getTokens(browser, spa)
  expect((await userinfo(access_token)).body).toMatchObject({ email_verified: false })
})

test.each([
  ['no password', { email }],
  ['no address', { password }],
  ['a list of addresses', { email: [email], password }],
  ['a number', { email, password: 12345678 }],
  ['U+0000', { email, password: `${password}\0` }],
  ['a lone surrogate', { email, password: `${password}\ud800` }],
])('%s is a mistake in the request', async (_, body) => {
  expect((await call('POST', LOGIN, { body })).body).toEqual(
    refusal(422, 'VALIDATION_FAILED', {
      details: [{ field: expect.any(String), message: expect.any(String) }],
    }),
  )
})

test.each([
  ['of another origin', { origin: 'https://evil.test' }],
  ['of another site', { 'sec-fetch-site': 'cross-site', origin: ownOrigin }],
])('a page %s signs nobody in or out', async (_, headers) => {
  const browser = await person.signIn()
  const body = { email, password }
  const cookie = { cookie: `latchkey_session=${sessionOf(browser)}` }
  for (const path of [LOGIN, '/api/auth/logout', '/api/auth/restore', '/api/auth/mfa']) {
    const answer = await call('POST', path, {
      headers: { ...headers, ...cookie },
      body: { ...body, code: '1' },
    })
    expect(answer.status, path).toBe(403)
    expect(answer.body, path).toEqual(refusal(403, 'FORBIDDEN'))
    expect(answer.headers.getSetCookie(), path).toEqual([])
  }
  expect(await isAlive(browser)).toBe(true)
})

test('signing out ends the session, its tokens and nothing else', async () => {
  const [browser, elsewhere] = [await person.signIn(), await person.signIn()]
  const { access_token } = await getTokens(browser, spa)
  const stolen = new Map(browser.cookies)
  const { status, body } = await ask(browser, 'logout', {})
  expect(status).toBe(200)
  expect(body).toEqual({ success: true, message: expect.any(String) })
  expect(sessionOf(browser)).toBeUndefined()
  for (const [name, value] of stolen) browser.cookies.set(name, value)
  expect(await isAlive(browser)).toBe(false)
  expect((await userinfo(access_token)).status).toBe(401)
  expect(await isAlive(elsewhere)).toBe(true)
  expect((await ask(openBrowser(), 'logout', {})).status).toBe(200)
})

test('the page does the same without a script', async () => {
  const browser = openBrowser()
  const fill = async (typed: string) => {
    const form = loginForm(await readForms(await browser.get('/login')))
    if (!form) throw new Error('no form')
    return submit(browser, form, { email, password: typed })
  }
  const wrong = await fill('wrong password')
  expect(wrong.status).toBe(401)
  expect(await wrong.text()).not.toContain('wrong password')
  const right = await fill(password)
  expect([right.status, right.headers.get('location')]).toEqual([303, '/account'])
  expect(await isAlive(browser)).toBe(true)
})
