import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, errorReply, findLinkToken, insertUser, listMailTo, logIn } from '../account/people.ts'
import { eventually } from '../support/eventually.ts'
import { totpCode } from '../support/totp.ts'
import { cookieOf } from '../support/world.ts'
import type { Visitor } from './visitor.ts'
import { callAs, countAll, findUserRow, linksOf, newUpstreamUser, type SsoWorld, startSsoWorld } from './world.ts'

let world: SsoWorld
let url: string
beforeAll(async () => {
  world = await startSsoWorld({ worker: true })
  url = world.url
})
afterAll(() => world.close())

const isSignedIn = (at: string) => at.endsWith('/account') || at.endsWith('/mfa')

/** Signs in and checks that no session, pending sign-in, link or user was created. */
async function expectRefused(): Promise<void> {
  const before = await countAll(world)
  const browser = world.visitor()
  const stop = await browser.go(`${url}/sso/google`, isSignedIn)
  expect(stop).toMatchObject({ status: 403, text: expect.stringContaining('is not linked to an account') })
  expect(await linksOf(world, browser)).toBeUndefined()
  expect(await countAll(world)).toEqual(before)
}

describe('when somebody has registered the address of a user who signs in through a provider', () => {
  const SQUATTED = 'chosen by the squatter'
  const OWN = 'chosen by the owner'

  const post = (path: string, body: object) => call(`${url}/api/auth/${path}`, { method: 'POST', body })
  const verify = (token: string | undefined, password?: string) => post('email/verify', { token, password })

  /** The token of the newest mail with this subject. */
  const mailed = async (email: string, subject: string) =>
    findLinkToken((await listMailTo(world.service, email)).find((mail) => mail.subject === subject))

  const confirmation = (email: string) => mailed(email, 'Confirm your email address')

  /** Registers an address without confirming it, and signs in. */
  async function squat(name: string): Promise<{ email: string; squatter: Visitor }> {
    const email = `${name}@example.com`
    expect((await post('register', { email, password: SQUATTED })).status).toBe(201)
    const squatter = world.visitor()
    squatter.take(url, cookieOf(await logIn(url, email, SQUATTED)))
    return { email, squatter }
  }

  test('the verification link requires the password of the squatter', async () => {
    const { email, squatter } = await squat('good-faith')
    world.google.person = newUpstreamUser(email)
    await expectRefused()
    const token = await confirmation(email)
    expect(await verify(token)).toMatchObject(errorReply(400, 'INVALID_TOKEN'))
    expect(await verify(token, OWN)).toMatchObject(errorReply(400, 'INVALID_TOKEN'))
    await expectRefused()
    // The same holds for a link that the squatter requests afterwards.
    const path = '/api/users/me/email/verification'
    expect((await callAs(world, squatter, { method: 'POST', path })).status).toBe(200)
    const another = await confirmation(email)
    expect(another).not.toBe(token)
    expect(await verify(another)).toMatchObject(errorReply(400, 'INVALID_TOKEN'))
    await expectRefused()
    expect(await findUserRow(world, email)).toMatchObject({ email_verified: false })
  })

  test('a user who knows the password can confirm the address, and is linked', async () => {
    const { email } = await squat('same-person')
    world.google.person = newUpstreamUser(email)
    await expectRefused()
    expect((await verify(await confirmation(email), SQUATTED)).status).toBe(200)
    const browser = world.visitor()
    await browser.go(`${url}/sso/google`, isSignedIn)
    expect(await linksOf(world, browser)).toHaveLength(1)
  })

  test('a password reset ends the sessions of the squatter, and the user is linked', async () => {
    const { email, squatter } = await squat('reset')
    world.google.person = newUpstreamUser(email)
    await expectRefused()
    expect(await linksOf(world, squatter)).toEqual([])
    const old = await confirmation(email)
    await post('password/forgot', { email })
    const token = await eventually(() => mailed(email, 'Choose a new password'))
    expect((await post('password/reset', { token, newPassword: OWN })).status).toBe(200)
    expect(await linksOf(world, squatter)).toBeUndefined()
    expect((await logIn(url, email, SQUATTED)).status).toBe(401)
    expect(await verify(old, SQUATTED)).toMatchObject(errorReply(400, 'INVALID_TOKEN'))
    const browser = world.visitor()
    await browser.go(`${url}/sso/google`, isSignedIn)
    expect(await linksOf(world, browser)).toMatchObject([{ provider: 'GOOGLE', email }])
  })
})

describe('an account with a second factor, matched by its address', () => {
  const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

  async function addPersonWithApp(): Promise<{ id: string; email: string }> {
    const person = await insertUser(world.service)
    const { db, keys } = world.service.ctx
    const now = new Date()
    const app = { sealed_secret: keys.seal('totp', SECRET), created_at: now, confirmed_at: now }
    await db
      .insertInto('totp_secrets')
      .values({ user_id: person.id, ...app })
      .execute()
    return person
  }

  const linksInStore = (userId: string) =>
    world.service.ctx.db.selectFrom('sso_links').select('subject').where('user_id', '=', userId).execute()

  const showCode = (browser: Visitor) => {
    const code = totpCode(SECRET, world.service.ctx.now())
    return callAs(world, browser, { method: 'POST', path: '/api/auth/mfa', body: { code } })
  }

  test('requires the factor and is not linked, before or after it', async () => {
    const { id, email } = await addPersonWithApp()
    world.google.person = newUpstreamUser(email)
    const browser = world.visitor()
    const stop = await browser.go(`${url}/sso/google`, isSignedIn)
    expect(stop.url).toBe(`${url}/mfa`)
    expect(await linksOf(world, browser)).toBeUndefined()
    expect(await linksInStore(id)).toEqual([])
    expect(await showCode(browser)).toMatchObject({ status: 200, body: { user: { id } } })
    expect(await linksInStore(id)).toEqual([])
  })

  test('does not match a second identity of a linked provider', async () => {
    const { id, email } = await addPersonWithApp()
    const now = new Date()
    const linked = { provider: 'GOOGLE', issuer: world.google.settings.issuer, subject: 'the-first' }
    await world.service.ctx.db
      .insertInto('sso_links')
      .values({ user_id: id, ...linked, linked_at: now, last_used_at: now })
      .execute()
    world.google.person = newUpstreamUser(email)
    await expectRefused()
    expect(await linksInStore(id)).toEqual([{ subject: 'the-first' }])
  })
})

test('a look-alike address does not match an account', async () => {
  await insertUser(world.service, { email: 'kira@example.com' })
  // The KELVIN SIGN becomes a k in lower case.
  for (const email of ['\u212Aira@example.com', 'k\u0131ra@example.com', '\uFF4Bira@example.com']) {
    world.google.person = newUpstreamUser(email)
    await expectRefused()
  }
})
