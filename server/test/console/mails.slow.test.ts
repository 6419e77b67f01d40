import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listMailTo } from '../account/people.ts'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsolePage, type ConsoleTest, openConsole } from './console-page.ts'
import { isHttpError } from './page-actions.ts'

const OWNER = 'olivia@acme.test'

describe.runIf(FULL && browserPath)('the texts of mails in the console', () => {
  let consoleTest: ConsoleTest
  let owner: ConsolePage
  beforeAll(async () => {
    consoleTest = await openConsole()
    owner = await consoleTest.signIn(OWNER, '/t/acme/mails')
  })
  afterAll(() => consoleTest?.close())

  /** The preview of the HTML shows this text in an element with styles. */
  async function expectPreview(text: string) {
    const frame = owner.page.frameLocator('iframe[title=Preview]')
    await expect.poll(() => frame.locator('body').innerText()).toContain(text)
    const color = () => frame.locator('.button').evaluate((element) => getComputedStyle(element).backgroundColor)
    await expect.poll(color).toMatch(/^rgb\((?!0, 0, 0\))/)
  }
  const subject = () => owner.page.getByLabel('Subject', { exact: true })

  test('a text is edited with a preview, tested, saved, and returned to the default', async () => {
    const { page, click, fill, expectHeading, expectText, expectAccessible, takeScreenshots, errors } = owner
    await expectHeading('Mails')
    await takeScreenshots('mails')
    await expectAccessible()
    await page.getByRole('link', { name: 'Invitation', exact: true }).first().click()
    await expectHeading('Invitation')
    await expect.poll(() => subject().inputValue()).toBe('Join {{tenant}}')
    await expectPreview('Join "Acme"')
    await takeScreenshots('mail')
    await expectAccessible()

    await fill('Heading', 'Welcome to {{company}}')
    await expectText('contains {{company}}, but this mail only has')
    await fill('Heading', 'Welcome to {{tenant}}')
    await expectPreview('Welcome to "Acme"')
    await page.getByText('Plain text', { exact: true }).click()
    await expect
      .poll(() => page.getByRole('region', { name: 'Plain text' }).innerText())
      .toMatch(/^Welcome to "Acme"\n[\s\S]*\nSee the invitation:\nhttp\S+\n/)
    await takeScreenshots('mail-text')

    await click('Send a test to me')
    await expectText(`Test mail sent to ${OWNER}`)
    const [mail] = await listMailTo(consoleTest.service, OWNER)
    expect(mail?.text).toContain('Welcome to "Acme"')

    await click('Save')
    await expectText('Saved')
    await expectText('Edited')
    // Whoever goes on by keyboard is where they were.
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Save')
    expect(await page.getByRole('radio', { name: 'Plain text' }).isChecked()).toBe(true)
    await page.reload()
    await expect.poll(() => page.getByLabel('Heading', { exact: true }).inputValue()).toBe('Welcome to {{tenant}}')
    await click('Back to default')
    await page.getByRole('dialog').getByRole('button', { name: 'Back to default' }).click()
    await expectText('The mail has its default texts again.')
    await expect.poll(() => page.getByLabel('Heading', { exact: true }).inputValue()).toBe('Join {{tenant}}')
    expect(errors.filter((error) => !isHttpError(error))).toEqual([])
  })

  test('a text of another admin never replaces what somebody types', async () => {
    const { page, go, fill, click, expectText } = owner
    await go('/t/acme/mails/invitation')
    await expect.poll(() => subject().inputValue()).toBe('Join {{tenant}}')
    const other = await consoleTest.signIn('adam@acme.test', '/t/acme/mails/invitation')
    const changeElsewhere = async (button: string) => {
      await other.fill('Label of the button', button)
      const saved = other.page.waitForResponse((reply) => reply.request().method() === 'PUT')
      await other.click('Save')
      await saved
    }
    const returnToPage = () => page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    await changeElsewhere('Look at it')
    // The texts are read again only once they are stale.
    await expect
      .poll(async () => {
        await returnToPage()
        return page.getByLabel('Label of the button', { exact: true }).inputValue()
      })
      .toBe('Look at it')

    await fill('Subject', 'Come to {{tenant}}')
    await changeElsewhere('See it')
    const template = page.waitForResponse(/\/mail-templates\/invitation$/, { timeout: 20_000 })
    const timer = setInterval(() => void returnToPage().catch(() => {}), 500)
    await template
    clearInterval(timer)
    expect(await subject().inputValue()).toBe('Come to {{tenant}}')
    await click('Save')
    await expectText('Saved')
    expect(await subject().inputValue()).toBe('Come to {{tenant}}')
  })
})
