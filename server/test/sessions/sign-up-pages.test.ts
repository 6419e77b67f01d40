import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweepSessions } from '../../src/sessions/sweep.ts'
import { insertUser, listMailTo } from '../account/people.ts'
import { openTab, type Tab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { startDemoService } from '../support/world.ts'
import {
  arriveFrom,
  BACK,
  confirmElsewhere,
  fieldOf,
  isSignedIn,
  linkOn,
  linkTo,
  NAMES,
  newAddress,
  PASSWORD,
  signUp,
  signUpFor,
} from './sign-up-steps.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const HOUR = 3_600_000
const tab = () => openTab(service.url)

describe('the page that waits', () => {
  test('has a URL of its own, so that a reload does not sign up again', async () => {
    const [browser, email] = [tab(), newAddress()]
    await browser.open('/signup')
    const submitted = await browser.submit({ email, password: PASSWORD, ...NAMES })
    expect(submitted).toMatchObject({ status: 303, location: '/signup/waiting' })
    expect((await browser.open(submitted.location)).text).toContain(`We have sent a mail to ${email}`)
  })

  test('is the same for an address that has an account, which gets no link', async () => {
    const { email: taken } = await insertUser(service)
    const [known, unknown, free] = [tab(), tab(), newAddress()]
    const pages = [await signUp(known, taken), await signUp(unknown, free)]
    const shapes = pages.map(({ html }, index) =>
      html.replaceAll(index === 0 ? taken : free, 'ADDRESS').replaceAll(/(value|href|address)="?[^"]*"/g, ''),
    )
    expect(shapes[0]).toBe(shapes[1])
    const names = (browser: Tab) => browser.cookies().replaceAll(/=[^;]*/g, '')
    expect(names(known)).toBe(names(unknown))
    for (const browser of [known, unknown]) expect((await browser.submit()).status).toBe(422)
    const [mail] = await listMailTo(service, taken)
    expect(mail?.subject).toBe('You have an account already')
    const back = await known.open('/signup/sign-in')
    expect(fieldOf((await known.open(back.location)).html, 'email')).toBe(taken)
  })

  test('makes the same queries for an address that has an account', async () => {
    const { email: taken } = await insertUser(service)
    const [known, unknown] = [tab(), tab()]
    await signUp(known, taken)
    await signUp(unknown, newAddress())
    const watch = await watchStatements(service)
    const statements = (browser: Tab) => watch.list(() => browser.open('/signup/waiting'))
    expect(await statements(known)).toEqual(await statements(unknown))
    await watch.close()
  })

  test('sends another mail once a minute, and at most five an hour to one address', async () => {
    const [browser, email] = [tab(), newAddress()]
    await signUp(browser, email)
    const mails = async () => (await listMailTo(service, email)).length
    const early = await browser.submit({ choice: 'resend' })
    expect(early.status).toBe(422)
    expect(early.text).toMatch(/You can ask for another mail in \d+ seconds/)
    expect(await mails()).toBe(1)
    const older = await linkTo(service, email)
    service.advance(60_000)
    const waiting = await browser.open('/signup/waiting')
    expect(waiting.html).toContain('data-seconds="0"')
    const copies = Array.from({ length: 4 }, () => openTab(service.url, browser.cookies()))
    for (const copy of copies) await copy.open('/signup/waiting')
    const answers = await Promise.all(copies.map((copy) => copy.submit({ choice: 'resend' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422])
    expect(await mails()).toBe(2)
    expect((await browser.open(older)).status).toBe(400)
    for (let index = 0; index < 4; index++) {
      service.advance(60_000)
      await browser.open('/signup/waiting')
      await browser.submit({ choice: 'resend' })
    }
    expect(await mails()).toBe(5)
  })

  test('leads to another address with the names kept, and the link to the first one ends', async () => {
    const [browser, wrong, right] = [tab(), newAddress(), newAddress()]
    const page = await signUpFor(service, browser, wrong)
    const link = await linkTo(service, wrong)
    const form = await browser.open(linkOn(page.html, 'Use another address'))
    expect(fieldOf(form.html, 'givenName')).toBe('Sam')
    expect(fieldOf(form.html, 'familyName')).toBe('Someone')
    expect(fieldOf(form.html, 'email')).toBe(wrong)
    await browser.submit({ email: right, password: PASSWORD, ...NAMES })
    expect((await tab().open(link)).status).toBe(400)
    await browser.open(await linkTo(service, right))
    expect(await arriveFrom(browser, (await browser.submit()).location)).toMatch(BACK)
  })

  test('does not let one browser send mail to many addresses', async () => {
    const browser = tab()
    for (let index = 0; index < 10; index++) expect((await signUp(browser, newAddress())).status).toBe(200)
    const last = newAddress()
    expect((await signUp(browser, last)).status).toBe(429)
    expect(await listMailTo(service, last)).toEqual([])
    expect((await signUp(tab(), last)).status).toBe(200)
  })
})

test('the address is carried between sign-in, sign-up and reset after it was entered', async () => {
  const { email } = await insertUser(service)
  const browser = tab()
  await browser.open('/login')
  const failed = await browser.submit({ email, password: 'wrong' })
  expect(fieldOf((await browser.open(linkOn(failed.html, 'Forgot your password'))).html, 'email')).toBe(email)
  const signUpPage = await browser.open(linkOn(failed.html, 'Create an account'))
  expect(fieldOf(signUpPage.html, 'email')).toBe(email)
  expect(signUpPage.html).not.toContain('address=people')
  const login = await browser.open(linkOn(signUpPage.html, 'I have an account already'))
  expect(fieldOf(login.html, 'email')).toBe(email)
})

test('the first wrong field has the focus', async () => {
  const browser = tab()
  await browser.open('/signup')
  const focus = (html: string) => /<input[^>]* name="(\w+)"[^>]* autofocus/.exec(html)?.[1]
  const fields = { email: newAddress(), password: PASSWORD, ...NAMES }
  for (const [field, value] of [
    ['familyName', ''],
    ['email', 'nobody'],
    ['password', 'short'],
  ]) {
    const page = await browser.submit({ ...fields, [field ?? '']: value ?? '' })
    expect(page.status).toBe(422)
    expect(focus(page.html)).toBe(field)
  }
})

test('a browser waits as long as the link in the newest mail works', async () => {
  const [browser, email] = [tab(), newAddress()]
  await signUp(browser, email)
  service.advance(20 * HOUR)
  await browser.open('/signup/waiting')
  const resent = await browser.submit({ choice: 'resend' })
  expect(resent.headers.get('set-cookie')).toMatch(/latchkey_sign_up=[\w-]{43}; Path=\/; Max-Age=86400;/)
  service.advance(20 * HOUR)
  await confirmElsewhere(service, email)
  await browser.open('/signup/waiting')
  expect((await browser.submit()).location).toBe('/account')
  expect(await isSignedIn(browser)).toBe(true)
})

test('a browser waits no longer than the link works, and its row is deleted', async () => {
  const browser = tab()
  const email = newAddress()
  await signUpFor(service, browser, email)
  const rows = async () => (await service.ctx.db.selectFrom('awaited_links').select('purpose').execute()).length
  expect(await rows()).toBeGreaterThan(0)
  service.advance(25 * HOUR)
  expect((await browser.open('/signup/waiting')).location).toBe('/login')
  expect((await browser.open(await linkTo(service, email))).status).toBe(400)
  await sweepSessions(service.ctx)
  expect(await rows()).toBe(0)
})
