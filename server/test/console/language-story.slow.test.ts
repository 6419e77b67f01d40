import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listMailTo } from '../account/people.ts'
import { mailedToken } from '../invitations/hosts.ts'
import { inLanguage } from '../languages/page-texts.ts'
import { sayInConsole, sayOnPages } from '../languages/say.ts'
import { linkTo, NAMES, newAddress, PASSWORD } from '../sessions/sign-up-steps.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsoleTest, openConsole } from './console-page.ts'

const NAME = `${NAMES.givenName} ${NAMES.familyName}`

describe.runIf(FULL && browserPath)('a person and an owner with another language than English', () => {
  let consoleTest: ConsoleTest
  beforeAll(async () => {
    consoleTest = await openConsole()
  })
  afterAll(() => consoleTest?.close())

  test.each(['de', 'ar'] as const)('in %s a person signs up, is invited, joins and gets a seat', async (language) => {
    const { service } = consoleTest
    const say = (text: string, values = {}) => sayOnPages(language, text, values)
    const sayInFrame = (text: string, values = {}) => sayInConsole(language, text, values)
    const options = inLanguage(language, 'localhost')
    const email = newAddress()
    const browser = await openBrowser()
    const page = await (await browser.newContext(options)).newPage()
    const arriveAt = (heading: string) => page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
    const mailTo = async () => (await listMailTo(service, email)).map(({ subject }) => subject)

    await page.goto(`${service.url}/signup`)
    await page.getByLabel(say('Given name'), { exact: true }).fill(NAMES.givenName)
    await page.getByLabel(say('Family name'), { exact: true }).fill(NAMES.familyName)
    await page.getByLabel(say('Email address'), { exact: true }).fill(email)
    await page.getByLabel(say('Password'), { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: say('Create account'), exact: true }).click()
    await arriveAt(say('Check your mailbox'))
    await expect.poll(mailTo).toEqual([say('Confirm your email address')])
    await page.goto(service.url + (await linkTo(service, email)))
    await arriveAt(say('Hello {name}', { name: NAME }))

    const owner = await consoleTest.signIn('olivia@acme.test', '/t/acme/invitations', options)
    await owner.expectHeading(sayInFrame('Invitations'))
    await owner.page
      .getByRole('button', { name: sayInFrame('Invite people'), exact: true })
      .first()
      .click()
    await owner.fill(sayInFrame('Email addresses'), email)
    const send = '{count, plural, =0 {Invite} one {Invite # person} other {Invite # people}}'
    await owner.click(sayInFrame(send, { count: 1 }))
    await owner.click(sayInFrame('Done'))
    await owner.expectText(email)

    await expect.poll(mailTo).toHaveLength(2)
    await page.goto(`${service.url}/invitations/${await mailedToken(service, email)}`)
    await arriveAt(say('Join {tenant}', { tenant: 'Acme' }))
    await page.getByRole('button', { name: say('Accept'), exact: true }).click()
    await arriveAt(say('You are now a member of {tenant}', { tenant: 'Acme' }))

    await owner.go('/t/acme/licenses/project-manager')
    await owner.click(sayInFrame('Give license to {name}', { name: NAME }))
    await owner.page.getByRole('menuitem', { name: /^Pro/ }).click()
    await owner.expectText(sayInFrame('{name} now has {type}.', { name: NAME, type: 'Pro' }))
    expect(owner.errors).toEqual([])

    await page.goto(`${service.url}/console/t/acme/licenses/project-manager`)
    const own = page.getByRole('region', { name: sayInFrame('Your license'), exact: true })
    await own.getByText('Pro', { exact: true }).waitFor()
    expect(await page.locator('html').getAttribute('dir')).toBe(language === 'ar' ? 'rtl' : 'ltr')
    await browser.close()
  })
})
