import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { listMailTo } from '../account/people.ts'
import { openTab, type Tab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { authorizeUrl, CALLBACK } from '../support/world.ts'

export const PASSWORD = 'a harbour full of boats'
export const NAMES = { givenName: 'Sam', familyName: 'Someone' }
export const newAddress = () => `sam-${randomBytes(5).toString('hex')}@people.test`

/** Opens a path and follows redirects within the service. */
async function follow(browser: Tab, path: string) {
  let page = await browser.open(path)
  while (page.location.startsWith('/')) page = await browser.open(page.location)
  return page
}

/** The sign-in page of a person whom an application sends. */
export const openLogin = (service: TestService, browser: Tab, parameters: Record<string, string> = {}) =>
  follow(browser, authorizeUrl(service.url, { state: 'kept', ...parameters }).slice(service.url.length))

/** The end of an authorization: back at the application, with a code and the state that it sent. */
export const BACK = new RegExp(`^${CALLBACK}\\?code=[\\w-]+&state=kept&iss=`)

export async function arriveFrom(browser: Tab, location: string): Promise<string> {
  expect(location).toMatch(/^\/oauth\/authorize\/continue\?journey=/)
  return (await browser.open(location)).location
}

export async function signUp(browser: Tab, email: string, password = PASSWORD) {
  await browser.open('/signup')
  return submitSignUp(browser, { email, password })
}

/** Submits the form of a sign-up, and returns the page that waits, or the form with a problem. */
export async function submitSignUp(browser: Tab, { email, password }: { email: string; password: string }) {
  const submitted = await browser.submit({ email, password, ...NAMES })
  return submitted.location === '' ? submitted : browser.open(submitted.location)
}

/** An application sends a person, who signs up in this browser and waits. */
export async function signUpFor(
  service: TestService,
  browser: Tab,
  email: string,
  parameters: Record<string, string> = {},
) {
  const login = await openLogin(service, browser, parameters)
  await browser.open(linkOn(login.html, 'Create an account'))
  const page = await submitSignUp(browser, { email, password: PASSWORD })
  expect(page.status).toBe(200)
  expect(page.text).toContain(`We have sent a mail to ${email}`)
  return page
}

/** The path of the newest link that confirms an address. */
export async function linkTo(service: TestService, email: string): Promise<string> {
  const paths = (await listMailTo(service, email)).map(({ text }) => /(\/verify-email\S+)/.exec(text)?.[1])
  return paths.find((path) => path !== undefined) ?? ''
}

/** Confirms an address in another browser. */
export async function confirmElsewhere(service: TestService, email: string) {
  const other = openTab(service.url)
  await other.open(await linkTo(service, email))
  return other.submit()
}

export const isSignedIn = async (browser: Tab) => (await browser.open('/account')).status === 200

export const linkOn = (html: string, words: string) =>
  (new RegExp(`<a[^>]*href="([^"]*)"[^>]*>\\s*${words}`).exec(html)?.[1] ?? '').replaceAll('&amp;', '&')
export const fieldOf = (html: string, field: string) =>
  new RegExp(`name="${field}"[^>]* value="([^"]*)"`).exec(html)?.[1]
