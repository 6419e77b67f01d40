import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPerson, call, failure, logIn, mailTo, tokenIn } from '../account/people.ts'
import { eventually } from '../support/eventually.ts'
import { totpCode } from '../support/totp.ts'
import { cookieOf } from '../support/world.ts'
import type { Visitor } from './visitor.ts'
import { callAs, countAll, findPerson, linksOf, newPerson, type SsoWorld, startSsoWorld } from './world.ts'

let world: SsoWorld
let url: string
beforeAll(async () => {
  world = await startSsoWorld({ worker: true })
  url = world.url
})
afterAll(() => world.close())

const isArrived = (at: string) => at.endsWith('/account') || at.endsWith('/mfa')

/** Nobody is signed in, half signed in or made, and nothing is linked. */
async function expectRefused(): Promise<void> {
  const before = await countAll(world)
  const browser = world.visitor()
  const stop = await browser.go(`${url}/sso/google`, isArrived)
  expect(stop).toMatchObject({ status: 403, text: expect.stringContaining('is not linked to an account') })
  expect(await linksOf(world, browser)).toBeUndefined()
  expect(await countAll(world)).toEqual(before)
}

describe('somebody has signed up with the address of another, who comes through a provider', () => {
  const SQUATTED = 'chosen by the squatter'
  const OWN = 'chosen by the owner'

  const post = (path: string, body: object) => call(`${url}/api/auth/${path}`, { method: 'POST', body })
  const verify = (token: string | undefined, password?: string) => post('email/verify', { token, password })

  /** The token of the newest link of a kind. */
  const mailed = async (email: string, subject: string) =>
    tokenIn((await mailTo(world.service, email)).find((mail) => mail.subject === subject))

  const confirmation = (email: string) => mailed(email, 'Confirm your e-mail address')

  /** An address that somebody has signed up with, and not confirmed; in their own browser they are signed in. */
  async function squat(name: string): Promise<{ email: string; squatter: Visitor }> {
    const email = `${name}@example.com`
    expect((await post('register', { email, password: SQUATTED })).status).toBe(201)
    const squatter = world.visitor()
    squatter.take(url, cookieOf(await logIn(url, email, SQUATTED)))
    return { email, squatter }
  }

  test('the link in their mailbox, followed in good faith, confirms nothing', async () => {
    const { email, squatter } = await squat('good-faith')
    world.google.person = newPerson(email)
    await expectRefused()
    const token = await confirmation(email)
    expect(await verify(token)).toMatchObject(failure(400, 'INVALID_TOKEN'))
    expect(await verify(token, OWN)).toMatchObject(failure(400, 'INVALID_TOKEN'))
    await expectRefused()
    // Neither does the one that the squatter has sent after it.
    const path = '/api/users/me/email/verification'
    expect((await callAs(world, squatter, { method: 'POST', path })).status).toBe(200)
    const another = await confirmation(email)
    expect(another).not.toBe(token)
    expect(await verify(another)).toMatchObject(failure(400, 'INVALID_TOKEN'))
    await expectRefused()
    expect(await findPerson(world, email)).toMatchObject({ email_verified: false })
  })

  test('whoever knows the password has signed up themselves: they confirm with it, and are linked', async () => {
    const { email } = await squat('same-person')
    world.google.person = newPerson(email)
    await expectRefused()
    expect((await verify(await confirmation(email), SQUATTED)).status).toBe(200)
    const browser = world.visitor()
    await browser.go(`${url}/sso/google`, isArrived)
    expect(await linksOf(world, browser)).toHaveLength(1)
  })

  test('a new password gives them the account, without whoever was in it, and then they are linked', async () => {
    const { email, squatter } = await squat('reset')
    world.google.person = newPerson(email)
    await expectRefused()
    expect(await linksOf(world, squatter)).toEqual([])
    const old = await confirmation(email)
    await post('password/forgot', { email })
    const token = await eventually(() => mailed(email, 'Choose a new password'))
    expect((await post('password/reset', { token, newPassword: OWN })).status).toBe(200)
    expect(await linksOf(world, squatter)).toBeUndefined()
    expect((await logIn(url, email, SQUATTED)).status).toBe(401)
    expect(await verify(old, SQUATTED)).toMatchObject(failure(400, 'INVALID_TOKEN'))
    const browser = world.visitor()
    await browser.go(`${url}/sso/google`, isArrived)
    expect(await linksOf(world, browser)).toMatchObject([{ provider: 'GOOGLE', email }])
  })
})

describe('an account with a second factor, found by its address', () => {
  const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

  async function addPersonWithApp(): Promise<{ id: string; email: string }> {
    const person = await addPerson(world.service)
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

  test('is asked for it, and no lasting way in is made before or by that', async () => {
    const { id, email } = await addPersonWithApp()
    world.google.person = newPerson(email)
    const browser = world.visitor()
    const stop = await browser.go(`${url}/sso/google`, isArrived)
    expect(stop.url).toBe(`${url}/mfa`)
    expect(await linksOf(world, browser)).toBeUndefined()
    expect(await linksInStore(id)).toEqual([])
    expect(await showCode(browser)).toMatchObject({ status: 200, body: { user: { id } } })
    expect(await linksInStore(id)).toEqual([])
  })

  test('is not that of a second identity of a provider of which it knows one', async () => {
    const { id, email } = await addPersonWithApp()
    const now = new Date()
    const linked = { provider: 'GOOGLE', issuer: world.google.settings.issuer, subject: 'the-first' }
    await world.service.ctx.db
      .insertInto('sso_links')
      .values({ user_id: id, ...linked, linked_at: now, last_used_at: now })
      .execute()
    world.google.person = newPerson(email)
    await expectRefused()
    expect(await linksInStore(id)).toEqual([{ subject: 'the-first' }])
  })
})

test('an address that only looks like, or is only lowered to, that of somebody opens nothing of theirs', async () => {
  await addPerson(world.service, { email: 'kira@example.com' })
  // The KELVIN SIGN becomes a k when letters are made small.
  for (const email of ['\u212Aira@example.com', 'k\u0131ra@example.com', '\uFF4Bira@example.com']) {
    world.google.person = newPerson(email)
    await expectRefused()
  }
})
