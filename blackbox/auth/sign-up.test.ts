import { describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { call, errorBody } from '../support/calls.ts'
import { findLink, findToken, listMails } from '../support/mail.ts'
import { followRedirects, pressButton, readForms, submitForm } from '../support/pages.ts'
import { newConfirmedPerson, newPerson } from '../support/person.ts'
import { baseUrl, unique } from '../support/service.ts'
import { expectedSignIn, expectedUser, hasSession, postAuth } from '../support/sign-in.ts'

const SAM = { givenName: 'Sam', familyName: 'Someone' }
const newAddress = () => `${unique('newcomer')}@blackbox.test`
const newPassword = () => unique('a long enough secret')
const register = (body: unknown) => call('POST', '/api/auth/register', { body })
const verify = (token: string | undefined, more: object = {}) =>
  call('POST', '/api/auth/email/verify', { body: { token, ...more } })
const logIn = (email: string, password: string) => postAuth(openBrowser(), 'login', { email, password })
const idOf = (body: Record<string, unknown>) => (body.user as { id: string }).id

describe('signing up', () => {
  test('creates an account without a session, and mails one link', async () => {
    const [email, password] = [newAddress(), newPassword()]
    const { status, body, headers } = await register({ email, password, ...SAM })
    expect(status).toBe(201)
    expect(body).toEqual({ user: expectedUser(email) })
    expect(headers.getSetCookie()).toEqual([])
    const [mail, ...others] = await listMails(email)
    expect(others).toEqual([])
    expect(findLink(mail)).toMatch(`${baseUrl}/verify-email?token=`)
    const signed = await logIn(email, password)
    expect(signed.body).toEqual(expectedSignIn(email))
    expect(idOf(signed.body)).toBe(idOf(body))
  })

  test.each([
    ['the given display name', { ...SAM, displayName: 'Sammy' }, { displayName: 'Sammy' }],
    ['the only given name', { givenName: 'Sam' }, { displayName: 'Sam', familyName: null }],
    ['the part of the address before the @', {}, { displayName: '', givenName: null, familyName: null }],
  ])('the display name is %s', async (_, names, shown) => {
    const email = newAddress()
    const { body } = await register({ email, password: newPassword(), ...names })
    const displayName = shown.displayName || email.split('@')[0]
    expect(body).toEqual({ user: expectedUser(email, { ...shown, displayName }) })
  })

  test('addresses are case-insensitive', async () => {
    const [email, password] = [newAddress(), newPassword()]
    expect((await register({ email: email.toUpperCase(), password, ...SAM })).body).toEqual({
      user: expectedUser(email),
    })
    expect((await logIn(email, password)).status).toBe(200)
  })

  test('privileged fields are ignored', async () => {
    const [email, password] = [newAddress(), newPassword()]
    const id = '018f0000-0000-7000-8000-000000000000'
    const ignoredFields = { id, emailVerified: true, email_verified: true, isSuperAdmin: true, role: 'owner' }
    const { body } = await register({
      email,
      password,
      ...SAM,
      ...ignoredFields,
      memberships: [{ role: 'owner' }],
    })
    expect(body).toEqual({ user: expectedUser(email) })
    expect(idOf(body)).not.toBe(id)
    const browser = openBrowser()
    await postAuth(browser, 'login', { email, password })
    expect(await (await browser.get('/api/users/me')).json()).toMatchObject({
      emailVerified: false,
      memberships: [],
    })
  })

  test('a weak password creates no account', async () => {
    const email = newAddress()
    for (const password of ['sevench', 'password', '12345678', email, 'Sam Someone', 'x'.repeat(1025)]) {
      expect((await register({ email, password, ...SAM })).body, password).toEqual(errorBody(422, 'WEAK_PASSWORD'))
    }
    expect(await listMails(email)).toEqual([])
  })

  test.each<[string, object, string]>([
    ['no address', { email: undefined }, 'email'],
    ['no password', { password: undefined }, 'password'],
    ['a list of addresses', { email: [newAddress()] }, 'email'],
    ['two addresses', { email: `${newAddress()},${newAddress()}` }, 'email'],
    ['a line break in the address', { email: `${newAddress()}\r\nBcc: ${newAddress()}` }, 'email'],
    ['a character similar to @', { email: newAddress().replace('@', '\uff20') }, 'email'],
    ['a blank name', { givenName: '  ' }, 'givenName'],
    ['a name of a kilobyte', { familyName: 'x'.repeat(1000) }, 'familyName'],
    ['a name that is not text', { displayName: { first: 'Sam' } }, 'displayName'],
  ])('%s is a field error', async (_, fields, field) => {
    const { body } = await register({ email: newAddress(), password: newPassword(), ...SAM, ...fields })
    expect(body).toEqual(errorBody(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }))
  })

  test('the page works without scripts', async () => {
    const [browser, email, password] = [openBrowser(), newAddress(), newPassword()]
    const [form] = await readForms(await browser.get('/signup'))
    if (!form) throw new Error('no form')
    const submitted = await submitForm(browser, form, { email, password, ...SAM })
    expect((await followRedirects(browser, submitted)).status).toBe(200)
    expect((await logIn(email, password)).body).toEqual(expectedSignIn(email))
  })
})

describe('an address that is taken', () => {
  test('gets the same response with a random id, and the owner gets a notification without a link', async () => {
    const owner = await newConfirmedPerson()
    const before = await logIn(owner.email, owner.password)
    const password = newPassword()
    const { status, body, headers } = await register({ email: owner.email, password, ...SAM })
    expect(status).toBe(201)
    expect(body).toEqual({ user: expectedUser(owner.email) })
    expect(idOf(body)).not.toBe(idOf(before.body))
    const free = await register({ email: newAddress(), password, ...SAM })
    expect([...headers.keys()]).toEqual([...free.headers.keys()])
    expect(await logIn(owner.email, password)).toMatchObject({ status: 401 })
    expect((await logIn(owner.email, owner.password)).body).toEqual({
      ...before.body,
      session: { id: expect.any(String) },
    })
    const [notice] = await listMails(owner.email)
    expect(notice?.subject).toBe('You have an account already')
    expect(findToken(notice)).toBeUndefined()
  })

  test('but unconfirmed belongs to the person who knows the password of the mailed link', async () => {
    const first = await newPerson()
    const { email } = first
    const browser = await first.signIn()
    const [firstLink] = (await listMails(email)).map(findToken)
    const password = newPassword()
    const tess = { givenName: 'Tess', familyName: 'Taker', displayName: 'Tess Taker' }
    expect((await register({ email, password, ...tess })).body).toEqual({ user: expectedUser(email, tess) })
    const [link] = (await listMails(email)).map(findToken)
    const needsPassword = errorBody(400, 'INVALID_TOKEN', { details: { reason: 'PASSWORD_NEEDED' } })
    for (const token of [firstLink, link]) expect((await verify(token)).body).toEqual(needsPassword)
    expect((await verify(link, { password: first.password })).body).toEqual(needsPassword)
    expect((await verify(link, { password })).status).toBe(200)
    const { user } = (await logIn(email, password)).body
    expect(user).toMatchObject({ email, emailVerified: true })
    expect(user, 'nothing of who was there before').toMatchObject(tess)
    expect((await logIn(email, first.password)).status).toBe(401)
    expect(await hasSession(browser)).toBe(false)
    expect((await verify(firstLink, { password: first.password })).body).toEqual(errorBody(400, 'INVALID_TOKEN'))
  })

  test('T173: password guesses for such a link are limited, and do not delay other people', async () => {
    const { email } = await newPerson()
    const password = newPassword()
    expect((await register({ email, password })).status).toBe(201)
    const [link] = (await listMails(email)).map(findToken)
    const guesses = Promise.all(
      Array.from({ length: 60 }, (_, index) => verify(link, { password: `wrong guess ${index}` })),
    )
    let isOver = false
    guesses.finally(() => {
      isOver = true
    })
    while (!isOver) expect((await call('GET', '/health/ready')).status).toBe(200)
    const statuses = (await guesses).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([400, 429]))
    expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(20)
    expect((await verify(link, { password })).body).toEqual(errorBody(429, 'RATE_LIMITED'))
  })

  test('concurrent sign-ups create one account', async () => {
    const email = newAddress()
    const passwords = Array.from({ length: 5 }, newPassword)
    const responses = await Promise.all(passwords.map((password) => register({ email, password, ...SAM })))
    for (const { status, body } of responses) {
      expect(status).toBe(201)
      expect(body).toEqual({ user: expectedUser(email) })
    }
    const logins = await Promise.all(passwords.map((password) => logIn(email, password)))
    expect(logins.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('confirming an address', () => {
  test('uses the mailed token, once', async () => {
    const { email, password } = await newPerson()
    const token = findToken((await listMails(email))[0])
    const { status, body } = await verify(token)
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: expect.any(String) })
    expect((await logIn(email, password)).body).toEqual(expectedSignIn(email, { emailVerified: true }))
    expect((await verify(token)).body).toEqual(errorBody(400, 'INVALID_TOKEN'))
  })

  test('refuses other tokens', async () => {
    for (const token of ['', 'x', 'A'.repeat(43), '../../etc/passwd', "' or 1=1 --"]) {
      expect((await verify(token)).body, token).toEqual(errorBody(400, 'INVALID_TOKEN'))
    }
    for (const token of [undefined, null, 5, ['A'.repeat(43)], 'A'.repeat(1001)]) {
      expect((await verify(token as never)).body).toMatchObject(errorBody(422, 'VALIDATION_FAILED'))
    }
  })

  test('the page behind the link changes nothing until its button is pressed', async () => {
    const { email, password } = await newPerson()
    const browser = openBrowser()
    const page = await browser.get(findLink((await listMails(email))[0]) ?? '')
    expect(page.status).toBe(200)
    expect((await logIn(email, password)).body).toEqual(expectedSignIn(email))
    const [form] = await readForms(page)
    if (!form) throw new Error('no form')
    expect((await pressButton(browser, form, /confirm/i)).status).toBe(200)
    expect((await logIn(email, password)).body).toEqual(expectedSignIn(email, { emailVerified: true }))
  })

  test('another link can be requested until one is used', async () => {
    const person = await newPerson()
    const browser = await person.signIn()
    const again = () => postAuth(browser, '../users/me/email/verification', {})
    const { status, body } = await again()
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: expect.any(String) })
    const mails = await listMails(person.email)
    expect(mails).toHaveLength(2)
    expect((await verify(findToken(mails[0]))).status).toBe(200)
    expect((await again()).status).toBe(200)
    expect(await listMails(person.email)).toHaveLength(2)
  })
})
