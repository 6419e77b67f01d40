import { expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { openBrowser } from '../support/browser.ts'
import { call, errorBody, ownOrigin } from '../support/calls.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import { getTokens, getUserinfo } from '../support/oauth.ts'
import { findLoginForm, readForms, submitForm } from '../support/pages.ts'
import { newConfirmedPerson, newPerson } from '../support/person.ts'
import { baseUrl, unique } from '../support/service.ts'
import { expectedSignIn, findSessionCookie, hasSession, postAuth } from '../support/sign-in.ts'

const LOGIN = '/api/auth/login'
const person = await newConfirmedPerson()
const { email, password } = person
const spa = await newClient(await newApplication(), 'SPA')

test('the right password signs in, and the session in the response is that of the cookie', async () => {
  const browser = openBrowser()
  const { status, body } = await postAuth(browser, 'login', { email, password })
  expect(status).toBe(200)
  expect(body).toEqual(expectedSignIn(email, { emailVerified: true }))
  const { access_token } = await getTokens(browser, spa)
  const { sid, sub, amr } = await verifyAccessToken(access_token)
  expect({ session: { id: sid }, user: { id: sub } }).toMatchObject({
    session: body.session,
    user: { id: (body.user as { id: string }).id },
  })
  expect(amr).toEqual(['pwd'])
})

test('the cookie is HttpOnly, SameSite and host-only', async () => {
  const response = await openBrowser().postJson(LOGIN, { email, password })
  const line = response.headers.getSetCookie().find((cookie) => cookie.includes('latchkey_session=')) ?? ''
  const [pair = '', ...attributes] = line.split('; ')
  const isHttps = baseUrl.startsWith('https:')
  expect(pair).toMatch(isHttps ? /^__Host-latchkey_session=[\w-]{43}$/ : /^latchkey_session=[\w-]{43}$/)
  const names = attributes.map((attribute) => attribute.split('=')[0]?.toLowerCase())
  expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax']))
  expect(names).not.toContain('domain')
  expect(names.includes('secure')).toBe(isHttps)
})

test('T095: the cookie is new at every sign-in, and a planted one is not used', async () => {
  const browser = openBrowser()
  browser.cookies.set('latchkey_session', 'A'.repeat(43))
  await postAuth(browser, 'login', { email, password })
  const first = findSessionCookie(browser)
  await postAuth(browser, 'login', { email, password })
  const second = findSessionCookie(browser)
  expect(new Set(['A'.repeat(43), first, second]).size).toBe(3)
  expect(await hasSession(browser)).toBe(true)
  for (const worthless of ['A'.repeat(43), first ?? '']) {
    const thief = openBrowser()
    thief.cookies.set('latchkey_session', worthless)
    expect(await hasSession(thief)).toBe(false)
  }
})

test('T094: a wrong password and an unknown address get the same response', async () => {
  const responses = await Promise.all(
    [email, `${unique('nobody')}@blackbox.test`].map((address) =>
      call('POST', LOGIN, { body: { email: address, password: 'wrong password' } }),
    ),
  )
  for (const { status, body, headers } of responses) {
    expect(status).toBe(401)
    expect(body).toEqual(errorBody(401, 'INVALID_CREDENTIALS'))
    expect(headers.getSetCookie()).toEqual([])
  }
  const [known, unknown] = responses
  expect(unknown?.body.message).toBe(known?.body.message)
  expect([...(unknown?.headers.keys() ?? [])]).toEqual([...(known?.headers.keys() ?? [])])
})

test('addresses are case-insensitive, passwords are not', async () => {
  expect((await postAuth(openBrowser(), 'login', { email: email.toUpperCase(), password })).body).toEqual(
    expectedSignIn(email, { emailVerified: true }),
  )
  expect((await postAuth(openBrowser(), 'login', { email, password: password.toUpperCase() })).status).toBe(401)
})

test('a person with an unconfirmed address can sign in, and the claims say so', async () => {
  const unconfirmed = await newPerson()
  const browser = openBrowser()
  expect((await postAuth(browser, 'login', unconfirmed)).body).toEqual(expectedSignIn(unconfirmed.email))
  const { access_token } = await getTokens(browser, spa)
  expect((await getUserinfo(access_token)).body).toMatchObject({ email_verified: false })
})

test.each([
  ['no password', { email }],
  ['no address', { password }],
  ['a list of addresses', { email: [email], password }],
  ['a number', { email, password: 12345678 }],
  ['U+0000', { email, password: `${password}\0` }],
  ['a lone surrogate', { email, password: `${password}\ud800` }],
])('%s is an invalid request', async (_, body) => {
  expect((await call('POST', LOGIN, { body })).body).toEqual(
    errorBody(422, 'VALIDATION_FAILED', {
      details: [{ field: expect.any(String), message: expect.any(String) }],
    }),
  )
})

test.each([
  ['of another origin', { origin: 'https://evil.test' }],
  ['of another site', { 'sec-fetch-site': 'cross-site', origin: ownOrigin }],
])('a page %s cannot sign in or out', async (_, headers) => {
  const browser = await person.signIn()
  const body = { email, password }
  const cookie = { cookie: `latchkey_session=${findSessionCookie(browser)}` }
  for (const path of [LOGIN, '/api/auth/logout', '/api/auth/restore', '/api/auth/mfa']) {
    const response = await call('POST', path, {
      headers: { ...headers, ...cookie },
      body: { ...body, code: '1' },
    })
    expect(response.status, path).toBe(403)
    expect(response.body, path).toEqual(errorBody(403, 'FORBIDDEN'))
    expect(response.headers.getSetCookie(), path).toEqual([])
  }
  expect(await hasSession(browser)).toBe(true)
})

test('signing out ends the session and its tokens, and no others', async () => {
  const [browser, elsewhere] = [await person.signIn(), await person.signIn()]
  const { access_token } = await getTokens(browser, spa)
  const stolen = new Map(browser.cookies)
  const { status, body } = await postAuth(browser, 'logout', {})
  expect(status).toBe(200)
  expect(body).toEqual({ success: true, message: expect.any(String) })
  expect(findSessionCookie(browser)).toBeUndefined()
  for (const [name, value] of stolen) browser.cookies.set(name, value)
  expect(await hasSession(browser)).toBe(false)
  expect((await getUserinfo(access_token)).status).toBe(401)
  expect(await hasSession(elsewhere)).toBe(true)
  expect((await postAuth(openBrowser(), 'logout', {})).status).toBe(200)
})

test('the page works without scripts', async () => {
  const browser = openBrowser()
  const fill = async (typed: string) => {
    const form = findLoginForm(await readForms(await browser.get('/login')))
    if (!form) throw new Error('no form')
    return submitForm(browser, form, { email, password: typed })
  }
  const wrong = await fill('wrong password')
  expect(wrong.status).toBe(401)
  expect(await wrong.text()).not.toContain('wrong password')
  const right = await fill(password)
  expect([right.status, right.headers.get('location')]).toEqual([303, '/account'])
  expect(await hasSession(browser)).toBe(true)
})
