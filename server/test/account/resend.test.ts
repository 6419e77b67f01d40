import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTab, type PageView, type Tab } from '../invitations/browser-tab.ts'
import { createNamedHost, type Host } from '../invitations/hosts.ts'
import { linkOn } from '../sessions/sign-up-steps.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { createSignedInUser, findLinkToken, listMailTo } from './people.ts'

let service: TestService
let host: Host
beforeAll(async () => {
  service = await startDemoService()
  host = await createNamedHost(service, { given_name: 'Hanna', family_name: 'Host', tenantName: 'Harbour House' })
})
afterAll(() => service?.close())

const countMails = async (email: string) => (await listMailTo(service, email)).length

const newestLink = async (email: string) =>
  `/verify-email?token=${findLinkToken((await listMailTo(service, email))[0])}`

const secondsOn = ({ html }: PageView) => Number(/data-seconds="(\d+)"/.exec(html)?.[1])

function expectTooEarly(page: PageView): void {
  expect(page.status).toBe(429)
  expect(page.text).toMatch(/You can ask for another mail in \d+ seconds/)
  const wait = Number(page.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60)
}

/** Presses the button of several copies of the page at once; each shows the button. */
async function pressAtOnce(browser: Tab, path: string, choice: string): Promise<number[]> {
  const copies = Array.from({ length: 4 }, () => openTab(service.url, browser.cookies()))
  for (const copy of copies) await copy.open(path)
  const answers = await Promise.all(copies.map((copy) => copy.submit({ choice })))
  return answers.map(({ status }) => status).sort()
}

async function openUnconfirmed() {
  const { email, cookie } = await createSignedInUser(service, { email_verified: false })
  return { email, browser: openTab(service.url, cookie) }
}

describe('the mail that confirms an address is sent again once a minute', () => {
  test('on the account page', async () => {
    const { email, browser } = await openUnconfirmed()
    expect(secondsOn(await browser.open('/account'))).toBe(0)
    expect(await pressAtOnce(browser, '/account', 'resend')).toEqual([200, 429, 429, 429])
    expect(await countMails(email)).toBe(1)
    const older = await newestLink(email)
    expect(secondsOn(await browser.open('/account'))).toBe(60)
    expectTooEarly(await browser.submit())
    service.advance(60_000)
    expect(secondsOn(await browser.open('/account'))).toBe(0)
    const sent = await browser.submit()
    expect(sent).toMatchObject({ status: 200, text: expect.stringContaining('A mail with a link is on its way.') })
    expect(secondsOn(sent)).toBe(60)
    expect(await countMails(email)).toBe(2)
    expect((await browser.open(older)).status).toBe(400)
    await browser.open(await newestLink(email))
    await browser.submit()
    expect((await browser.open('/account')).html).not.toContain('data-seconds')
  })

  test('on the page of an invitation', async () => {
    const { email, browser } = await openUnconfirmed()
    const { path } = await host.invite({ email })
    const before = await countMails(email)
    expect(secondsOn(await browser.open(path))).toBe(0)
    expect(await pressAtOnce(browser, path, 'confirm')).toEqual([200, 429, 429, 429])
    expect(await countMails(email)).toBe(before + 1)
    expect(secondsOn(await browser.open(path))).toBe(60)
    const early = await browser.submit()
    expectTooEarly(early)
    expect(early.text).toContain('Join Harbour House')
    // The pages share the wait.
    expect(secondsOn(await browser.open('/account'))).toBe(60)
    service.advance(60_000)
    await browser.open(path)
    expect((await browser.submit()).status).toBe(200)
    expect(await countMails(email)).toBe(before + 2)
  })

  test('and at most five times an hour', async () => {
    const { email, browser } = await openUnconfirmed()
    for (let count = 1; count <= 6; count++) {
      await browser.open('/account')
      const sent = await browser.submit()
      expect(sent.status).toBe(count > 5 ? 429 : 200)
      if (count > 5) expect(sent.text).toContain('This address has got too many mails.')
      service.advance(60_000)
    }
    expect(await countMails(email)).toBe(5)
  })
})

describe('the mail that confirms a new address', () => {
  async function requestChange() {
    const { email: before, cookie } = await createSignedInUser(service)
    const browser = openTab(service.url, cookie)
    const email = `new-${before}`
    await browser.open('/account/email')
    const page = await browser.submit({ newEmail: email, password: PASSWORD })
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining(`We have sent a mail to ${email}`) })
    return { before, email, browser, page }
  }

  test('is sent again once a minute, without the password, until its link is followed', async () => {
    const { before, email, browser, page } = await requestChange()
    expect(secondsOn(page)).toBe(60)
    expectTooEarly(await browser.submit())
    const older = await newestLink(email)
    service.advance(60_000)
    expect(secondsOn(await browser.open('/account/email'))).toBe(0)
    expect(await pressAtOnce(browser, '/account/email', 'resend')).toEqual([200, 429, 429, 429])
    expect(await countMails(email)).toBe(2)
    // The notice of the request.
    expect(await countMails(before)).toBe(1)
    expect((await browser.open(older)).status).toBe(400)
    await browser.open(await newestLink(email))
    await browser.submit()
    const form = await browser.open('/account/email')
    expect(form.text).toContain(`It is ${email} now`)
    expect((await browser.submit({ choice: 'resend' })).text).toContain('New email address')
    expect(await countMails(email)).toBe(2)
  })

  test('goes to another address if the person enters one', async () => {
    const { email, browser, page } = await requestChange()
    const form = await browser.open(linkOn(page.html, 'Use another address'))
    expect(form.text).toContain('New email address')
    const refused = await browser.submit({ newEmail: `better-${email}`, password: 'wrong' })
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('New email address') })
    const sent = await browser.submit({ newEmail: `better-${email}`, password: PASSWORD })
    expect(sent.text).toContain(`We have sent a mail to better-${email}`)
    service.advance(60_000)
    await browser.open('/account/email')
    expect((await browser.submit()).text).toContain(`We have sent another mail to better-${email}`)
    expect([await countMails(email), await countMails(`better-${email}`)]).toEqual([1, 2])
  })

  test('looks the same for an address that has an account', async () => {
    const [owner, { cookie }] = [await createSignedInUser(service), await createSignedInUser(service)]
    const browser = openTab(service.url, cookie)
    await browser.open('/account/email')
    const page = await browser.submit({ newEmail: owner.email, password: PASSWORD })
    expect(page.text).toContain(`We have sent a mail to ${owner.email}`)
    expect(secondsOn(page)).toBe(60)
    service.advance(60_000)
    await browser.open('/account/email')
    expect((await browser.submit()).text).toContain(`We have sent another mail to ${owner.email}`)
    const mails = await listMailTo(service, owner.email)
    expect(mails.map((mail) => findLinkToken(mail))).toEqual([undefined, undefined])
  })
})
