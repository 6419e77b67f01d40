import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignedInUser, insertUser, listMailTo } from '../account/people.ts'
import { openTab, type Tab } from '../invitations/browser-tab.ts'
import { eventually } from '../support/eventually.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { arriveFrom, BACK, fieldOf, isSignedIn, linkOn, newAddress, openLogin } from './sign-up-steps.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService({ worker: true })
})
afterAll(() => service.close())

const tab = () => openTab(service.url)

const NEW_PASSWORD = 'a lighthouse in the fog'

async function resetLinkOf(email: string) {
  const path = async () => {
    const texts = (await listMailTo(service, email)).map(({ text }) => text)
    return texts.map((text) => /(\/reset-password\S+)/.exec(text)?.[1]).find(Boolean)
  }
  return eventually(path)
}

async function requestFor(browser: Tab, email: string) {
  const login = await openLogin(service, browser)
  await browser.open(linkOn(login.html, 'Forgot your password'))
  expect((await browser.submit({ email })).text).toContain(email)
  return resetLinkOf(email)
}

test('the link of a password reset signs in and returns to the application in the browser that asked for it', async () => {
  const { email } = await insertUser(service)
  const browser = tab()
  const page = await browser.open(await requestFor(browser, email))
  expect(page.html).toMatch(new RegExp(`autocomplete="username" value="${email}"`))
  const weak = await browser.submit({ newPassword: 'short' })
  expect(weak.status).toBe(422)
  expect(weak.html).toMatch(/name="newPassword"[^>]* autofocus/)
  expect(await arriveFrom(browser, (await browser.submit({ newPassword: NEW_PASSWORD })).location)).toMatch(BACK)
})

test('the link of a password reset signs nobody in in another browser, and carries the address to the sign-in', async () => {
  const { email } = await insertUser(service)
  const [browser, other] = [tab(), tab()]
  const link = await requestFor(browser, email)
  await other.open(link)
  const done = await other.submit({ newPassword: NEW_PASSWORD })
  expect(done.status).toBe(200)
  expect(await isSignedIn(other)).toBe(false)
  expect(await isSignedIn(browser)).toBe(false)
  const login = await other.open(linkOn(done.html, 'Sign in'))
  expect(fieldOf(login.html, 'email')).toBe(email)
  const dead = await browser.open(link)
  expect(dead.status).toBe(400)
  expect(fieldOf((await browser.open(linkOn(dead.html, 'Ask for a new link'))).html, 'email')).toBe(email)
})

test('the link of a password reset leads to the second factor of a person who has one', async () => {
  const user = await createSignedInUser(service)
  await service.ctx.db
    .insertInto('totp_secrets')
    .values({
      user_id: user.id,
      sealed_secret: Buffer.from('unused'),
      session_id: null,
      created_at: new Date(),
      confirmed_at: new Date(),
    })
    .execute()
  const browser = tab()
  await browser.open(await requestFor(browser, user.email))
  expect((await browser.submit({ newPassword: NEW_PASSWORD })).location).toMatch(/^\/mfa\?journey=/)
  expect(await isSignedIn(browser)).toBe(false)
})

test('the link of a password reset is asked for in the same way for an address without an account', async () => {
  const email = newAddress()
  const browser = tab()
  await browser.open('/forgot-password')
  const page = await browser.submit({ email })
  expect(page.status).toBe(200)
  expect(page.text).toContain(`If there is an account with the address ${email}`)
  const again = await browser.submit({ choice: 'resend', email })
  expect(again.status).toBe(422)
  service.advance(60_000)
  expect((await browser.submit({ choice: 'resend', email })).status).toBe(200)
})
