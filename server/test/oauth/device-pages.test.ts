import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSignedInUser, entriesOf, insertUser, listMailTo } from '../account/people.ts'
import { openTab, type Tab } from '../invitations/browser-tab.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { addMember, claimsOf, PASSWORD, signIn, startDemoService, thirdParty, userinfo } from '../support/world.ts'
import { askForCodes, type DeviceReply, decide, follow, poll, setDeviceFlow, typeCode } from './device-steps.ts'

let service: TestService
let url: string
let cookie: string

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
})
afterAll(() => service.close())
beforeEach(() => setDeviceFlow(service, 'demo-spa', true))
afterEach(() => sql`delete from throttle`.execute(service.ctx.db))

const newCodes = async (form: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  (await askForCodes(url, form, headers)).body

const entriesFor = async (action: string, userId: string) =>
  (await entriesOf(service, userId)).filter((entry) => entry.action === action)

/** The cookie of the session alone. */
const sessionOf = (cookies: string) => cookies.split('; ').find((pair) => pair.startsWith('latchkey_session')) ?? ''

const WRONG = 'This code is wrong, used up or too old.'
const UNUSED = 'BBBB-BBBB'

describe('the page for the code', () => {
  test('is not stored, cannot be framed, and posts to this service only', async () => {
    const { headers } = await openTab(url).open('/device')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/)
    expect(headers.get('content-security-policy')).toMatch(/form-action 'self'(;|$)/)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('a link fills in the code, warns, and changes nothing', async () => {
    const { user_code, ...codes } = await newCodes()
    const tab = openTab(url, cookie)
    const page = await tab.open(`/device?user_code=${user_code}`)
    expect(page.status).toBe(200)
    expect(page.html).toContain(`value="${user_code}"`)
    expect(page.text).toContain('Did somebody send you this link?')
    expect((await poll(url, { user_code, ...codes })).body.error).toBe('authorization_pending')
    const next = await follow(tab, await tab.submit({ user_code }))
    expect(next.text).toContain('You came here by a link')
    expect((await openTab(url).open('/device')).text).not.toContain('Did somebody send you this link?')
  })

  test.each(['<script>', 'Call 0800 1234', 'AAAA-AAAA'])('a link cannot put other text on it: %s', async (text) => {
    const page = await openTab(url).open(`/device?user_code=${encodeURIComponent(text)}`)
    expect(page.html).not.toContain(text)
  })

  test('small letters, spaces and other hyphens are accepted', async () => {
    for (const write of [
      (code: string) => code.toLowerCase(),
      (code: string) => ` ${code.replace('-', ' ')} `,
      (code: string) => code.replace('-', '\u2013'),
      (code: string) => code.replace('-', ''),
    ]) {
      const { user_code } = await newCodes()
      expect((await typeCode(openTab(url, cookie), write(user_code))).text).toContain('Allow this device?')
    }
  })

  test('a form of another site or browser is refused', async () => {
    const { user_code } = await newCodes()
    const tab = openTab(url, cookie)
    await tab.open('/device')
    const other = await tab.submit({ user_code }, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(other.status).toBe(403)
    await tab.open('/device')
    expect((await tab.submit({ user_code, csrf: 'x' })).status).toBe(403)
    const page = await typeCode(tab, user_code)
    const forged = openTab(url, cookie)
    const action = /action="([^"]+)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await forged.submit({ decision: 'allow', csrf: 'x' }, { to: action })).status).toBe(403)
  })

  test('what follows the code works only in the browser in which it was typed', async () => {
    const { id, email, cookie: own } = await createSignedInUser(service)
    for (const slug of ['acme', 'globex']) await addMember(service, email, slug)
    const codes = await newCodes()
    const phisher = openTab(url)
    await phisher.open('/device')
    const step = (await phisher.submit({ user_code: codes.user_code })).location
    expect(step).toMatch(/^\/device\/continue\?journey=/)
    const { location: login } = await phisher.open(step)
    expect(login).toMatch(/^\/login\?journey=/)
    const person = openTab(url, own)
    await person.open('/device')
    const refused = { status: 400, text: expect.stringContaining('Type the code again') }
    expect(await person.open(step)).toMatchObject(refused)
    expect(await follow(person, await person.open(login))).toMatchObject(refused)
    for (const path of ['tenant', 'decision']) {
      await person.open('/device')
      const to = step.replace('continue', path)
      expect(await person.submit({ decision: 'allow', tenant: id }, { to })).toMatchObject(refused)
    }
    expect(await person.open(step.replace('continue', 'done'))).toMatchObject(refused)
    expect(await openTab(url, sessionOf(own)).open(step)).toMatchObject(refused)
    expect((await poll(url, codes)).body.error).toBe('authorization_pending')
  })

  test('wrong, used, refused and expired codes get the same answer', async () => {
    const [used, refused, old] = [await newCodes(), await newCodes(), await newCodes()]
    await decide(url, cookie, used)
    await decide(url, cookie, refused, 'refuse')
    await sql`update device_authorizations set expires_at = now() where decided_at is null`.execute(service.ctx.db)
    for (const code of [UNUSED, 'nonsense', used.user_code, refused.user_code, old.user_code]) {
      const page = await typeCode(openTab(url, cookie), code)
      expect(page.status).toBe(400)
      expect(page.text).toContain(WRONG)
    }
  })
})

describe('wrong codes are limited', () => {
  const guess = async (tab = openTab(url, cookie), code = UNUSED) => (await typeCode(tab, code)).status

  test('for a browser, also for right codes, while others go on', async () => {
    const tab = openTab(url)
    for (let guesses = 0; guesses < 10; guesses++) expect(await guess(tab)).toBe(400)
    const { user_code } = await newCodes()
    expect(await guess(tab, user_code)).toBe(429)
    expect(await guess(openTab(url, cookie), user_code)).toBe(200)
  })

  test('for a person, in all sessions and whichever browser id they send', async () => {
    const { email } = await insertUser(service)
    for (let guesses = 0; guesses < 10; guesses++) {
      const session = sessionOf(await signIn(url, email))
      expect(await guess(openTab(url, session))).toBe(400)
    }
    const session = sessionOf(await signIn(url, email))
    expect(session).not.toBe('')
    expect(await guess(openTab(url, session))).toBe(429)
  })

  const fill = (name: string) =>
    sql`update throttle set points = 100000 where key like ${`${name}:%`}`.execute(service.ctx.db)

  test('for a network, for everybody in it', async () => {
    expect(await guess()).toBe(400)
    await fill('user-code-address')
    const { user_code } = await newCodes()
    expect(await guess(openTab(url), user_code)).toBe(429)
    expect(await guess(openTab(url, cookie), user_code)).toBe(429)
  })

  test('in all, for people who are not signed in, who can sign in first', async () => {
    const tab: Tab = openTab(url)
    expect(await guess(tab)).toBe(400)
    await fill('user-code-all')
    const { user_code } = await newCodes()
    expect(await guess(openTab(url, cookie), user_code)).toBe(200)
    const page = await typeCode(tab, user_code)
    expect(page.status).toBe(429)
    const link = /<a href="([^"]+)">Sign in first/.exec(page.html)?.[1] ?? ''
    expect(link).toMatch(/^\/login\?journey=/)
    await tab.open(link)
    const back = await follow(tab, await tab.submit({ email: 'mia@acme.test', password: PASSWORD }))
    expect(back.text).toContain('Connect a device')
    const next = await follow(tab, await tab.submit({ user_code }))
    expect(next.text).toContain('Allow this device?')
  })

  test('a signed-in person is not asked to sign in', async () => {
    expect(await guess()).toBe(400)
    await fill('user-code-address')
    const page = await typeCode(openTab(url, cookie), UNUSED)
    expect(page.status).toBe(429)
    expect(page.text).not.toContain('Sign in first')
  })

  test('with 40 guesses at once, at most 10 of one browser are compared', async () => {
    const tab = openTab(url)
    await tab.open('/device')
    const pages = await Promise.all(Array.from({ length: 40 }, () => tab.submit({ user_code: UNUSED })))
    expect(pages.filter(({ status }) => status === 400).length).toBeLessThanOrEqual(10)
  })
})

describe('the decision', () => {
  test('shows the application, the device, the network, the time and the code, and is audited', async () => {
    const { id, cookie: own } = await createSignedInUser(service)
    const codes = await newCodes({}, { 'user-agent': 'AcmeTV/3.1 (Linux)' })
    const tab = openTab(url, own)
    const page = await typeCode(tab, codes.user_code)
    expect(page.headers.get('cache-control')).toBe('no-store')
    for (const text of ['Project Manager', 'AcmeTV', '127.0.0.1', 'The network that you use now', 'UTC']) {
      expect(page.text).toContain(text)
    }
    expect(page.text).toContain(codes.user_code)
    const done = await follow(tab, await tab.submit({ decision: 'allow' }))
    expect(done.text).toContain('Return to your device')
    const entries = await entriesFor('user.device_allowed', id)
    expect(entries).toMatchObject([{ actor_id: id, details: { scopes: ['openid', 'email', 'offline_access'] } }])
  })

  test.each(['allow', 'refuse'] as const)('%s records the device, as personal data of the person', async (decision) => {
    const { id, cookie: own } = await createSignedInUser(service)
    const codes = await newCodes({}, { 'user-agent': 'AcmeTV/3.1 (Linux)' })
    await decide(url, own, codes, decision)
    const [entry] = await entriesFor(decision === 'allow' ? 'user.device_allowed' : 'user.device_refused', id)
    expect(entry?.personal).toMatchObject({
      ipAddress: expect.any(String),
      deviceIpAddress: '127.0.0.1',
      deviceUserAgent: 'AcmeTV/3.1 (Linux)',
    })
    expect(JSON.stringify(entry?.details)).not.toContain('AcmeTV')
  })

  test('an approval is mailed to the person, with the application, the device and how to end it; a refusal is not', async () => {
    const { email, cookie: own } = await createSignedInUser(service)
    const notices = async () =>
      (await listMailTo(service, email)).filter(({ subject }) => subject === 'A device was allowed to use your account')
    await decide(url, own, await newCodes(), 'refuse')
    await decide(url, own, await newCodes({}, { 'user-agent': 'AcmeTV/3.1 (Linux)' }))
    await expect.poll(async () => (await notices()).length).toBe(1)
    const [notice] = await notices()
    expect(notice?.text).toContain('Application: Project Manager')
    expect(notice?.text).toMatch(/^Device: .*AcmeTV/m)
    expect(notice?.text).toContain('IP address: 127.0.0.1')
    expect(notice?.text).toMatch(/^Time: /m)
    expect(notice?.text).toContain(`${url}/account/sessions`)
    const newDevices = (await listMailTo(service, email)).filter(({ subject }) => subject.startsWith('New sign-in'))
    expect(newDevices.filter(({ text }) => text.includes('AcmeTV'))).toEqual([])
  })

  test('an unverified address gets no mail about it', async () => {
    const { email, cookie: own } = await createSignedInUser(service)
    await service.ctx.db.updateTable('users').set({ email_verified: false }).where('email', '=', email).execute()
    await decide(url, own, await newCodes())
    const { rows } = await sql`select 1 from mail_messages where recipient = ${email}`.execute(service.ctx.db)
    expect(rows).toEqual([])
  })

  test('needs a sign-in first, which keeps the code', async () => {
    const codes = await newCodes()
    const tab = openTab(url)
    const login = await typeCode(tab, codes.user_code)
    expect(login.text).toContain('to continue to Project Manager')
    expect(login.html).not.toContain(codes.user_code)
    const page = await follow(tab, await tab.submit({ email: 'mia@acme.test', password: PASSWORD }))
    expect(page.text).toContain('Allow this device?')
    expect((await poll(url, codes)).body.error).toBe('authorization_pending')
    await follow(tab, await tab.submit({ decision: 'allow' }))
    expect((await poll(url, codes)).status).toBe(200)
  })

  test('a person with several tenants chooses one', async () => {
    const { email, cookie: own } = await createSignedInUser(service)
    for (const slug of ['acme', 'globex']) await addMember(service, email, slug)
    const codes = await newCodes()
    const tab = openTab(url, own)
    const page = await typeCode(tab, codes.user_code)
    expect(page.text).toContain('Choose an organization')
    const tenant = /value="([^"]+)"[^>]*>\s*<span[^>]*>Globex/.exec(page.html)?.[1] ?? ''
    expect((await follow(tab, await tab.submit({ tenant }))).text).toContain('at Globex')
    await follow(tab, await tab.submit({ decision: 'allow' }))
    expect(claimsOf((await poll(url, codes)).body.access_token)).toMatchObject({ tenant_slug: 'globex' })
  })

  test('a tenant that the device names is kept, and members of others are turned away', async () => {
    const codes = await newCodes({ tenant: 'globex' })
    const page = await typeCode(openTab(url, cookie), codes.user_code)
    expect(page.status).toBe(403)
    expect(page.text).toContain('The user is not an active member of this tenant.')
    expect((await poll(url, codes)).body.error).toBe('authorization_pending')
    await decide(url, await signIn(url, 'gus@globex.test'), codes)
    expect(claimsOf((await poll(url, codes)).body.access_token)).toMatchObject({ tenant_slug: 'globex' })
  })

  test('a tenant that requires a second factor leads to it first', async () => {
    const { email, cookie: own } = await createSignedInUser(service)
    await addMember(service, email, 'globex')
    const set = (mfa_policy: 'REQUIRED' | 'OPTIONAL') =>
      service.ctx.db.updateTable('tenants').set({ mfa_policy }).where('slug', '=', 'globex').execute()
    await set('REQUIRED')
    const { user_code } = await newCodes()
    const tab = openTab(url, own)
    await tab.open('/device')
    const { location } = await tab.open((await tab.submit({ user_code })).location)
    expect(location).toMatch(/^\/mfa\/setup\?journey=/)
    await set('OPTIONAL')
  })

  test('the consent to a third party is asked for, recorded, and ends its tokens when it is withdrawn', async () => {
    const { clientId } = await thirdParty(url)
    await setDeviceFlow(service, clientId, true)
    const person = await createSignedInUser(service)
    const form = { client_id: clientId }
    const refused = await newCodes(form)
    const tab = openTab(url, person.cookie)
    expect((await typeCode(tab, refused.user_code)).text).toContain('See your email address')
    await follow(tab, await tab.submit({ decision: 'refuse' }))
    expect(await entriesFor('user.consented', person.id)).toHaveLength(0)
    expect(await entriesFor('user.device_refused', person.id)).toHaveLength(1)
    const codes = await newCodes(form)
    await decide(url, person.cookie, codes)
    expect(await entriesFor('user.consented', person.id)).toHaveLength(1)
    const { body } = await poll(url, codes, form)
    expect(await userinfo(url, body.access_token)).toBe(200)
    const again = await typeCode(tab, (await newCodes(form)).user_code)
    expect(again.text).not.toContain('See your email address')
    const { applicationId } = await service.ctx.db
      .selectFrom('clients')
      .select('application_id as applicationId')
      .where('client_id', '=', clientId)
      .executeTakeFirstOrThrow()
    expect((await person.call('DELETE', `/api/users/me/consents/${applicationId}`)).status).toBe(200)
    expect(await userinfo(url, body.access_token)).toBe(401)
  })

  test('a consent is not recorded without the decision', async () => {
    const { clientId } = await thirdParty(url)
    await setDeviceFlow(service, clientId, true)
    const person = await createSignedInUser(service)
    const tab = openTab(url, person.cookie)
    await typeCode(tab, (await newCodes({ client_id: clientId })).user_code)
    await sql`
      create or replace function fail_device() returns trigger language plpgsql as $$ begin raise 'no grant'; end $$`.execute(
      service.ctx.db,
    )
    await sql`
      create trigger fail_device before update of grant_id on device_authorizations
      for each row when (new.grant_id is not null) execute function fail_device()`.execute(service.ctx.db)
    try {
      expect((await tab.submit({ decision: 'allow' })).status).toBe(500)
    } finally {
      await sql`drop trigger fail_device on device_authorizations`.execute(service.ctx.db)
    }
    for (const action of ['user.consented', 'user.device_allowed']) {
      expect(await entriesFor(action, person.id)).toHaveLength(0)
    }
  })

  test('a page that was shown to somebody else decides nothing', async () => {
    const codes = await newCodes()
    const tab = openTab(url, cookie)
    const page = await typeCode(tab, codes.user_code)
    const action = /action="([^"]+)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const other = await createSignedInUser(service)
    const mixed = openTab(
      url,
      `${tab.cookies()}; ${other.cookie.split('; ').find((one) => one.startsWith('latchkey_session'))}`,
    )
    await mixed.open('/device')
    const shown = await follow(mixed, await mixed.submit({ decision: 'allow' }, { to: action }))
    expect(shown.text).toContain(`Allow this device?`)
    expect(shown.text).toContain(other.email)
    expect((await poll(url, codes)).body.error).toBe('authorization_pending')
  })

  test.each(rounds(20))('of two people who decide at once, one wins (round %d)', async () => {
    const codes = await newCodes()
    const people = await Promise.all([createSignedInUser(service), createSignedInUser(service)])
    const tabs = await Promise.all(
      people.map(async (person) => {
        const tab = openTab(url, person.cookie)
        await typeCode(tab, codes.user_code)
        return tab
      }),
    )
    const pages = await Promise.all(
      tabs.flatMap((tab) =>
        Array.from({ length: 10 }, async () => follow(tab, await tab.submit({ decision: 'allow' }))),
      ),
    )
    const won = pages.filter(({ text }) => text.includes('Return to your device'))
    const lost = pages.filter(({ text }) => text.includes('This code has ended'))
    expect([won.length, lost.length]).toEqual([10, 10])
    const { body } = await poll(url, codes)
    const winner = people.find(({ id }) => id === claimsOf(body.access_token).sub)
    const loser = people.find((person) => person !== winner)
    expect(await entriesFor('user.device_allowed', winner?.id ?? '')).toHaveLength(1)
    expect(await entriesFor('user.device_allowed', loser?.id ?? '')).toHaveLength(0)
  })

  test('a page that is left open for ten minutes says so', async () => {
    const codes: DeviceReply = await newCodes()
    const tab = openTab(url, cookie)
    await typeCode(tab, codes.user_code)
    await sql`update device_authorizations set expires_at = now()`.execute(service.ctx.db)
    const page = await follow(tab, await tab.submit({ decision: 'allow' }))
    expect(page).toMatchObject({ status: 400, text: expect.stringContaining('This code has ended') })
    expect((await tab.open('/device/continue?journey=x')).status).toBe(400)
  })
})
