import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSignedInUser, entriesOf, insertUser, listMailTo } from '../account/people.ts'
import { openTab, type PageView, type Tab } from '../invitations/browser-tab.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import {
  addMember,
  admin,
  authorizeUrl,
  claimsOf,
  exchange,
  findIds,
  PASSWORD,
  signIn,
  startDemoService,
} from '../support/world.ts'
import { linkTo, newAddress, PASSWORD as SIGN_UP_PASSWORD, signUp } from './sign-up-steps.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService({ worker: true })
  url = service.url
})
afterAll(() => service.close())
beforeEach(() => allow(true))

const MINUTE = 60_000
/** Sets the switch of the demo application. */
const allow = (email_codes: boolean) =>
  service.ctx.db.updateTable('applications').set({ email_codes }).where('slug', '=', 'project-manager').execute()

const formTargetIn = (html: string, path: string) =>
  (new RegExp(`formaction="(${path}[^"]*)"`).exec(html)?.[1] ?? '').replaceAll('&amp;', '&')

/** Opens the sign-in page of the demo application. */
async function openLogin(parameters: Record<string, string> = {}, tab: Tab = openTab(url)) {
  const { location } = await tab.open(authorizeUrl('', parameters))
  return { tab, page: await tab.open(location) }
}

/** Asks for a code and returns the page that follows. */
async function ask(email: string, parameters: Record<string, string> = {}) {
  const { tab, page } = await openLogin(parameters)
  const asked = await tab.submit({ email, password: '' }, { to: formTargetIn(page.html, '/login/code') })
  expect(asked.location).toMatch(/^\/login\/code\?journey=/)
  return { tab, page: await tab.open(asked.location) }
}

const codeMails = async (email: string) =>
  (await listMailTo(service, email)).filter(({ subject }) => subject.includes('is your code for'))
const codeIn = (text = '') => /\b\d{6}\b/.exec(text)?.[0] ?? ''

async function receiveCode(email: string, count = 1): Promise<string> {
  await expect.poll(async () => (await codeMails(email)).length, { timeout: 10_000 }).toBe(count)
  return codeIn((await codeMails(email))[0]?.subject)
}

/** Follows redirects within the service. */
async function follow(tab: Tab, first: PageView) {
  let page = first
  while (page.location.startsWith('/')) page = await tab.open(page.location)
  return page
}

const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe('a person with a mailed code', () => {
  test('signs in to the application; the tokens and the audit log tell how', async () => {
    const { id, email } = await insertUser(service)
    const { tab, page } = await ask(email)
    expect(page.text).toContain(`If ${email} has an account here, a code is on its way.`)
    expect(page.html).toMatch(/inputmode="numeric"[^>]*autocomplete="one-time-code"|autocomplete="one-time-code"[^>]*/)
    const code = await receiveCode(email)
    const [mail] = await codeMails(email)
    expect(mail?.text).toContain('within 10 minutes')
    expect(mail?.text).not.toContain('/login')
    const back = await follow(tab, await tab.submit({ code: `${code.slice(0, 3)} ${code.slice(3)}` }))
    const { status, body } = await exchange(url, new URL(back.location).searchParams.get('code') ?? '')
    expect(status).toBe(200)
    expect(claimsOf(body.access_token)).toMatchObject({ sub: id, amr: ['otp'] })
    expect(tab.cookies()).toContain('latchkey_methods=email_code')
    expect(tab.cookies()).not.toContain('latchkey_code')
    const entries = await entriesOf(service, id)
    expect(entries.map(({ action }) => action)).toEqual(['user.sign_in_code_requested', 'session.started'])
    expect(entries[0]).toMatchObject({ actor_kind: 'system' })
    expect(entries[1]).toMatchObject({ details: { amr: ['otp'] } })
  })

  test('is asked for the second factor', async () => {
    const person = await createSignedInUser(service)
    const { body } = await person.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
    service.advance(MINUTE)
    const secret = String(body.secret)
    await person.call('POST', '/api/users/me/mfa/totp/verify', { code: totpCode(secret, service.ctx.now()) })
    const { tab } = await ask(person.email)
    const next = await tab.submit({ code: await receiveCode(person.email) })
    expect(next.location).toMatch(/^\/mfa/)
    await tab.open(next.location)
    service.advance(MINUTE)
    const back = await follow(tab, await tab.submit({ code: totpCode(secret, service.ctx.now()) }))
    const { body: tokens } = await exchange(url, new URL(back.location).searchParams.get('code') ?? '')
    expect(claimsOf(tokens.access_token).amr).toEqual(['otp', 'mfa'])
  })

  test('restores an account that is scheduled for deletion', async () => {
    const { email } = await insertUser(service, { deletion_requested_at: new Date() })
    const { tab } = await ask(email)
    expect((await tab.submit({ code: await receiveCode(email) })).location).toMatch(/^\/restore/)
  })

  test('sees this way first the next time, but the Enter key does not ignore a password', async () => {
    const { email } = await insertUser(service)
    const isCodeFirst = (html: string) => html.includes('class="code-first"')
    const buttons = (html: string) => [...html.matchAll(/<button type="submit"[^>]*>([^<]*)/g)].map(([, text]) => text)
    expect(isCodeFirst((await openLogin()).page.html)).toBe(false)
    const { tab } = await ask(email)
    await tab.submit({ code: await receiveCode(email) })
    const { page } = await openLogin({ prompt: 'login' }, tab)
    expect(isCodeFirst(page.html)).toBe(true)
    expect(buttons(page.html).slice(0, 2)).toEqual(['Sign in', 'Email me a code'])
  })

  test('can ask for another code, which replaces the first; the mail quota holds', async () => {
    const { email } = await insertUser(service)
    const { tab } = await ask(email)
    const first = await receiveCode(email)
    const { location } = await openLogin({}, tab).then(({ page }) =>
      tab.submit({ email }, { to: formTargetIn(page.html, '/login/code') }),
    )
    const second = await receiveCode(email, 2)
    await tab.open(location)
    expect((await tab.submit({ code: first })).status).toBe(first === second ? 303 : 400)
    expect((await tab.submit({ code: second })).status).toBe(303)
    for (let more = 0; more < 5; more++) await ask(email)
    await receiveCode(email, 5)
  })
})

describe('a code', () => {
  test('is stored as a hash that only the browser can compute, and its cookie is not readable', async () => {
    const { email } = await insertUser(service)
    const { tab } = await ask(email)
    const code = await receiveCode(email)
    const rows = JSON.stringify(await service.ctx.db.selectFrom('sign_in_codes').selectAll().execute())
    expect(rows).not.toContain(code)
    const cookie = /latchkey_code=([^;]*)/.exec(tab.cookies())?.[1] ?? ''
    expect(Buffer.from(cookie, 'base64url').toString()).not.toContain(email)
  })

  test('works only in the browser that asked for it', async () => {
    const { email } = await insertUser(service)
    const { tab } = await ask(email)
    const code = await receiveCode(email)
    const other = (await ask('somebody@else.test')).tab
    expect((await other.submit({ code })).status).toBe(400)
    expect((await tab.submit({ code })).status).toBe(303)
  })

  test('works for ten minutes', async () => {
    const { email } = await insertUser(service)
    const { tab } = await ask(email)
    const code = await receiveCode(email)
    service.advance(10 * MINUTE)
    const refused = await tab.submit({ code })
    expect([refused.status, refused.text.includes('This code is wrong, used up or too old.')]).toEqual([400, true])
  })

  test('is spent after five wrong attempts, which are in the audit log', async () => {
    const { id, email } = await insertUser(service)
    const { tab } = await ask(email)
    const code = await receiveCode(email)
    for (let attempt = 0; attempt < 5; attempt++) expect((await tab.submit({ code: wrong(code) })).status).toBe(400)
    expect((await tab.submit({ code })).status).toBe(400)
    const refusals = (await entriesOf(service, id)).filter(({ action }) => action === 'session.refused')
    expect(refusals).toHaveLength(6)
    expect(refusals[0]).toMatchObject({ details: { reason: 'wrong_code', method: 'email_code' } })
  })

  test('signs in one of many concurrent requests, and no more than five guesses are compared', async () => {
    for (const _ of rounds(5)) {
      const { email } = await insertUser(service)
      const { tab } = await ask(email)
      const code = await receiveCode(email)
      const guesses = await Promise.all(Array.from({ length: 8 }, () => tab.submit({ code })))
      expect(guesses.filter(({ status }) => status === 303)).toHaveLength(1)
      const { tab: again } = await ask(email)
      await receiveCode(email, 2)
      await Promise.all(Array.from({ length: 8 }, () => again.submit({ code: wrong(code) })))
      const { attempts } = await service.ctx.db
        .selectFrom('sign_in_codes')
        .select('attempts')
        .where('used', '=', false)
        .orderBy('expires_at', 'desc')
        .executeTakeFirstOrThrow()
      expect(attempts).toBe(5)
    }
  })

  test.each([
    ['a new address', { email: 'moved@people.test' }],
    ['a new password', { password_hash: 'x' }],
    ['the end of sign-in with a password', { password_sign_in: false }],
    ['disabling', { disabled: true }],
  ])('ends with a change of the account: %s', async (_, change) => {
    const { id, email } = await insertUser(service)
    const { tab } = await ask(email)
    const code = await receiveCode(email)
    await service.ctx.db.updateTable('users').set(change).where('id', '=', id).execute()
    expect((await tab.submit({ code })).status).toBe(400)
  })
})

describe('wrong codes', () => {
  const limits = { signInFailures: 10, confirmFailures: 5, clientFailures: 60 }
  let guarded: TestService
  beforeAll(async () => {
    guarded = await startDemoService({ worker: true, config: { trustedProxies: ['127.0.0.1'], limits } })
    await guarded.ctx.db.updateTable('applications').set({ email_codes: true }).execute()
  })
  afterAll(() => guarded?.close())

  /** Asks for a code, types it or a wrong one in this network, and returns the status. */
  async function attempt(email: string, network: string, code = '') {
    const tab = openTab(guarded.url)
    const page = await tab.open((await tab.open(authorizeUrl(''))).location)
    await tab.open((await tab.submit({ email }, { to: formTargetIn(page.html, '/login/code') })).location)
    const headers = { 'x-forwarded-for': network }
    return (await tab.submit({ code }, { headers })).status
  }

  test('stop guesses in one network, and then in all of them', async () => {
    const { email } = await insertUser(guarded)
    for (let guess = 0; guess < 5; guess++) expect(await attempt(email, '10.0.0.1')).toBe(400)
    expect(await attempt(email, '10.0.0.1')).toBe(429)
    for (let guess = 0; guess < 20; guess++) expect(await attempt(email, `10.0.1.${guess}`)).toBe(400)
    expect(await attempt(email, '10.0.0.2')).toBe(429)
  })
})

describe('who gets no code', () => {
  test('an address without an account: the page and its cookies are the same, and the attempts too', async () => {
    const { email } = await insertUser(service)
    const known = await ask(email)
    const unknown = await ask('nobody@people.test')
    const shape = ({ page, tab }: typeof known, address: string) => [
      page.text.replaceAll(address, ''),
      page.status,
      tab.cookies().replaceAll(/=[^;]*/g, ''),
    ]
    expect(shape(unknown, 'nobody@people.test')).toEqual(shape(known, email))
    await receiveCode(email)
    const attempt = async ({ tab }: typeof known) => {
      const { status, text } = await tab.submit({ code: '000000' })
      return [status, text.replaceAll(/\S+@people\.test/g, '')]
    }
    for (let count = 0; count < 6; count++) expect(await attempt(unknown)).toEqual(await attempt(known))
    expect(await listMailTo(service, 'nobody@people.test')).toEqual([])
  })

  test('an unconfirmed address gets the link that confirms it instead', async () => {
    const { email } = await insertUser(service, { email_verified: false })
    await ask(email)
    await expect.poll(async () => (await listMailTo(service, email)).length).toBe(1)
    const [mail] = await listMailTo(service, email)
    expect(mail?.subject).toContain('Confirm your email address')
    expect(codeIn(mail?.subject)).toBe('')
  })

  test('an unconfirmed address: the link requires the password of the sign-up, which somebody else may know', async () => {
    const email = newAddress()
    await signUp(openTab(url), email)
    const signUpLink = await linkTo(service, email)
    await ask(email)
    await expect.poll(async () => (await listMailTo(service, email)).length).toBe(2)
    const confirmed = async () =>
      (await service.ctx.db.selectFrom('users').select('email_verified').where('email', '=', email).execute())[0]
    const tab = openTab(url)
    expect(await linkTo(service, email)).not.toBe(signUpLink)
    await tab.open(await linkTo(service, email))
    expect((await tab.submit()).text).toContain('Give the password that you chose')
    expect(await confirmed()).toEqual({ email_verified: false })
    expect((await tab.submit({ password: SIGN_UP_PASSWORD })).status).toBe(200)
    expect(await confirmed()).toEqual({ email_verified: true })
  })

  test.each([
    ['a disabled account', { disabled: true }],
    ['an account without sign-in by password', { password_sign_in: false }],
  ])('%s', async (_, traits) => {
    const { email } = await insertUser(service, traits)
    const { email: last } = await insertUser(service)
    await ask(email)
    await ask(last)
    // The jobs run in order, so the first has ended when the mail of the second is there.
    await receiveCode(last)
    expect(await listMailTo(service, email)).toEqual([])
  })

  test('an invalid address is refused on the page, which keeps it', async () => {
    const { tab, page } = await openLogin()
    const refused = await tab.submit({ email: 'not an address' }, { to: formTargetIn(page.html, '/login/code') })
    expect(refused.status).toBe(422)
    expect(refused.html).toContain('value="not an address"')
  })
})

describe('the switches', () => {
  test('by default nothing is offered, and the pages redirect or refuse', async () => {
    await allow(false)
    const { tab, page } = await openLogin()
    expect(page.html).not.toContain('Email me a code')
    const [, journey = ''] = /\/login\?(journey=[^"]*)"/.exec(page.html) ?? []
    expect((await tab.open(`/login/code?${journey}`)).location).toMatch(/^\/login\?/)
    expect((await tab.submit({ email: 'mia@acme.test' }, { to: `/login/code?${journey}` })).status).not.toBe(303)
    expect((await openTab(url).open('/login')).html).not.toContain('Email me a code')
  })

  test('a code that was mailed before the switch was turned off does not work', async () => {
    const { email } = await insertUser(service)
    const { tab } = await ask(email)
    const code = await receiveCode(email)
    await allow(false)
    expect((await tab.submit({ code })).status).toBe(400)
  })

  test('a tenant offers codes to its members, where the request names it', async () => {
    await allow(false)
    const { tenantId } = await findIds(service, 'mia@acme.test', 'acme')
    await admin(url, `/api/admin/tenants/${tenantId}`, { emailCodes: true }, 'PATCH')
    const member = await insertUser(service)
    const stranger = await insertUser(service)
    await addMember(service, member.email, 'acme')
    expect((await openLogin()).page.html).not.toContain('Email me a code')
    await ask(stranger.email, { tenant: 'acme' })
    const { tab } = await ask(member.email, { tenant: 'acme' })
    expect((await tab.submit({ code: await receiveCode(member.email) })).status).toBe(303)
    expect(await listMailTo(service, stranger.email)).toEqual([])
    // A member cannot set it, not even an owner.
    const cookie = await signIn(url, 'olivia@acme.test')
    const response = await fetch(`${url}/api/tenants/${tenantId}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin', cookie },
      body: JSON.stringify({ emailCodes: false, settings: { a: 1 } }),
    })
    expect(response.status).toBe(200)
    expect((await openLogin({ tenant: 'acme' })).page.html).toContain('Email me a code')
    await admin(url, `/api/admin/tenants/${tenantId}`, { emailCodes: false }, 'PATCH')
  })
})
