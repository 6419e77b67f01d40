import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsoleTest, openConsole } from './console-page.ts'
import { addColleagues, ageLedger, createOtherAdmin, createSubscriptions } from './license-data.ts'

const PATH = '/t/acme/licenses/project-manager'

/** The table row of a user. */
const rowOf = (page: Page, name: string) =>
  page.getByRole('table', { name: 'People' }).getByRole('row').filter({ hasText: name })

const expectLicense = (page: Page, name: string, license: string) =>
  rowOf(page, name).getByRole('cell', { name: license, exact: true }).waitFor()

async function choose(page: Page, button: string, item: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe.runIf(FULL && browserPath)('licenses in the console', () => {
  let consoleTest: ConsoleTest
  let otherAdmin: ReturnType<typeof createOtherAdmin>
  beforeAll(async () => {
    consoleTest = await openConsole()
    otherAdmin = createOtherAdmin(consoleTest)
  })
  beforeEach(() => otherAdmin.reset())
  afterAll(() => consoleTest?.close())

  test('a tenant without subscriptions sees how to get licenses', async () => {
    const { expectHeading, expectText, expectAccessible, errors } = await consoleTest.signIn(
      'gus@globex.test',
      '/t/globex/licenses',
    )
    await expectHeading('Licenses')
    await expectText('No licenses yet')
    await expectAccessible()
    expect(errors).toEqual([])
  })

  test('an admin can grant, change and revoke seats and undo each change', async () => {
    const { page, expectHeading, expectText, click, expectAccessible, errors } = await consoleTest.signIn(
      'adam@acme.test',
      PATH,
    )
    await expectHeading('Project Manager')
    await expectLicense(page, 'Max Member', 'No license')
    await choose(page, 'Give license to Max Member', /^Pro/)
    await expectText('Max Member now has Pro.')
    await expectLicense(page, 'Max Member', 'Pro')
    await expectText('2 of 5 seats in use')
    await click('Undo')
    await expectLicense(page, 'Max Member', 'No license')
    await expectText('1 of 5 seats in use')

    await choose(page, 'Change license of Mia Member', /^Enterprise/)
    await expectText('Mia Member now has Enterprise.')
    await expectText('All seats are taken')
    await choose(page, 'Change license of Mia Member', 'Take license back')
    await expectText('Mia Member no longer has Enterprise.')
    await expectLicense(page, 'Mia Member', 'No license')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expectLicense(page, 'Mia Member', 'Enterprise')

    await page.getByRole('button', { name: 'Give license to Max Member' }).click()
    const full = page.getByRole('menuitem', { name: /Enterprise None left/ })
    await full.waitFor()
    expect(await full.isDisabled()).toBe(true)
    await expectAccessible()
    await page.keyboard.press('Escape')
    await choose(page, 'Change license of Mia Member', /^Pro/)
    await expectLicense(page, 'Mia Member', 'Pro')
    expect(errors).toEqual([])
  })

  test('a seat change is shown optimistically and rolled back on an error', async () => {
    const { page, expectHeading, expectText, errors } = await consoleTest.signIn('adam@acme.test', PATH)
    await expectHeading('Project Manager')
    let releaseRequest = () => {}
    const released = new Promise<void>((resolve) => {
      releaseRequest = resolve
    })
    await page.route('**/licenses/grant', async (route) => {
      await released
      await route.continue()
    })
    await choose(page, 'Give license to Max Member', /^Pro/)
    await expectLicense(page, 'Max Member', 'Pro')
    await expectText('2 of 5 seats in use')
    await otherAdmin.suspend('max@acme.test', true)
    releaseRequest()
    await expectText('That did not work')
    await expectText(/active/i)
    await expectText('1 of 5 seats in use')
    expect(errors.filter((text) => !text.includes('status of 400'))).toEqual([])
  })

  test('without a free seat the dialog offers alternatives', async () => {
    const { page, expectHeading, expectText, click, expectAccessible, takeScreenshots, errors } =
      await consoleTest.signIn('olivia@acme.test', PATH)
    await expectHeading('Project Manager')
    await page.getByRole('button', { name: 'Give license to Max Member' }).click()
    const item = page.getByRole('menuitem', { name: /^Enterprise/ })
    await item.waitFor()
    await otherAdmin.grant('adam@acme.test', 'enterprise')
    await item.click()
    const dialog = page.getByRole('dialog', { name: 'No seats left' })
    await dialog.getByText('Somebody else has taken the last seat of Enterprise.').waitFor()
    await expectLicense(page, 'Max Member', 'No license')
    await dialog.getByText(/we at Acme have used all our Enterprise seats of Project Manager/).waitFor()
    await expectAccessible()
    await takeScreenshots('licenses-no-seats')
    await dialog.getByRole('button', { name: 'Pro (4 left)' }).click()
    await expectLicense(page, 'Max Member', 'Pro')

    await page.getByRole('button', { name: 'Change license of Max Member' }).click()
    await page.getByRole('menuitem', { name: 'Need more seats?' }).click()
    await click('Show who has one')
    await rowOf(page, 'Olivia Owner').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?show=with')
    await expectText('Adam Admin')
    expect(errors.filter((text) => !text.includes('status of 400'))).toEqual([])
  })

  test('bulk changes have a result for each reason', async () => {
    const { page, expectHeading, expectText, click, expectAccessible, takeScreenshots, errors } =
      await consoleTest.signIn('adam@acme.test', PATH)
    await expectHeading('Project Manager')
    await page.getByLabel('Select this page').check()
    await expectText('4 selected, 5 seats left')
    await expectAccessible()
    await takeScreenshots('licenses-bulk')
    await choose(page, 'Give license', /^Pro/)
    const dialog = page.getByRole('dialog', { name: 'Not everyone was changed' })
    await dialog.getByText('Done for 3 people, not for 1 person.').waitFor()
    await dialog
      .getByRole('listitem')
      .filter({ hasText: 'Mia Member' })
      .getByText(/already/i)
      .waitFor()
    await expectAccessible()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expectLicense(page, 'Olivia Owner', 'Pro')

    for (const name of ['Adam Admin', 'Max Member', 'Olivia Owner']) {
      await page.getByLabel(`Select ${name}`).check()
    }
    await click('Take licenses back')
    await expectText('3 people no longer have a license.')
    await expectLicense(page, 'Olivia Owner', 'No license')
    await click('Undo')
    await expectLicense(page, 'Olivia Owner', 'Pro')
    expect(errors).toEqual([])
  })

  test('search and license filter are kept in the query string', async () => {
    const { page, expectHeading, fill, expectText, click, errors } = await consoleTest.signIn('olivia@acme.test', PATH)
    await expectHeading('Project Manager')
    await rowOf(page, 'Max Member').waitFor()
    await fill('Search by name or email', 'mi')
    await page.waitForURL(/search=mi/)
    await rowOf(page, 'Max Member').waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Show' }).click()
    await page.getByRole('option', { name: 'Without a license' }).click()
    await expectText('Everyone has a license')
    await click('Show everyone')
    await rowOf(page, 'Max Member').waitFor()
    await page.getByRole('combobox', { name: 'Show' }).click()
    await page.getByRole('option', { name: 'With Pro' }).click()
    await rowOf(page, 'Max Member').waitFor({ state: 'detached' })
    await page.reload()
    await rowOf(page, 'Mia Member').waitFor()
    expect(await rowOf(page, 'Max Member').count()).toBe(0)
    expect(errors).toEqual([])
  })

  test('members see their own license first and cannot change seats', async () => {
    const mia = await consoleTest.signIn('mia@acme.test', PATH)
    await mia.expectHeading('Project Manager')
    const own = mia.page.getByRole('region', { name: 'Your license' })
    await own.getByText(/^Pro/).waitFor()
    await rowOf(mia.page, 'Olivia Owner').waitFor()
    const [, first] = await mia.page.getByRole('table', { name: 'People' }).getByRole('row').allInnerTexts()
    expect(first).toContain('Mia Member')
    expect(await mia.page.getByRole('button', { name: /license/i }).count()).toBe(0)
    expect(await mia.page.getByRole('checkbox').count()).toBe(0)
    await mia.expectAccessible()

    const max = await consoleTest.signIn('max@acme.test', PATH)
    await max.expectText('You have no license. Ask an admin for one: Adam Admin, Olivia Owner.')
    await max.go('/t/acme/licenses')
    await max.expectText('You have no license')
    await max.expectAccessible()
    await max.go('/t/acme/licenses/no-such-thing')
    await max.expectHeading('There is nothing here')
    expect([...mia.errors, ...max.errors]).toEqual([])
  })

  test('the usage is shown as a chart with keyboard access and as a table', async () => {
    const { page, expectHeading, expectText, click, expectAccessible, takeScreenshots, errors } =
      await consoleTest.signIn('adam@acme.test', PATH)
    await expectHeading('Project Manager')
    await expectText(/This time span has too little data for a chart/)
    await ageLedger(consoleTest, 20)
    await otherAdmin.grant('max@acme.test')
    await page.reload()
    const chart = page.getByRole('slider', { name: /^Seats by day/ })
    await chart.focus()
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/: 2 of 6 seats in use$/)
    await page.keyboard.press('ArrowLeft')
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/: 1 of 6 seats in use$/)
    await page.keyboard.press('Home')
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/: 0 of 0 seats in use$/)
    await expectAccessible()
    await page.getByText('30 days').click()
    await page.waitForURL(/days=30/)
    await takeScreenshots('licenses-usage')
    await click('Show as table')
    const table = page.getByRole('table', { name: 'Seats over time' })
    await table.waitFor()
    expect(await table.getByRole('row').count()).toBe(4)
    await expectAccessible()
    expect(errors).toEqual([])
  })

  test('every subscription status is explained, also on a phone', async () => {
    await createSubscriptions(consoleTest)
    const { page, go, expectHeading, expectText, expectAccessible, takeScreenshots, errors } = await consoleTest.signIn(
      'adam@acme.test',
      '/t/acme/licenses',
    )
    await expectHeading('Licenses')
    await expectText(/Trial ends in 12 days/)
    await expectText(/Licenses stop working on .* unless the payment arrives/)
    await expectText(/Nobody can use these seats until the license is renewed/)
    await expectText('Wiki is free. Everyone here may use it.')
    await takeScreenshots('licenses-overview')
    await expectAccessible()
    await page.setViewportSize({ width: 390, height: 780 })
    await expectAccessible()
    for (const [slug, name] of [
      ['wiki', 'Wiki'],
      ['payroll', 'Payroll'],
    ] as const) {
      await go(`/t/acme/licenses/${slug}`)
      await expectHeading(name)
      await expectText('Like everyone here')
      expect(await page.getByRole('button', { name: /Give license/ }).count()).toBe(0)
      await expectAccessible()
    }
    expect(errors).toEqual([])
  })

  test('everyone who matches can be selected, and the seats that are left go to the first of them', async () => {
    await addColleagues(consoleTest, 24)
    const session = await consoleTest.signIn('adam@acme.test', PATH)
    const { page, click, expectHeading, expectText, expectAccessible, takeScreenshots } = session
    await expectHeading('Project Manager')
    await page.getByLabel('Select this page').check()
    await expectText('20 selected, 5 seats left')
    await click('Select all 28')
    await expectText('28 selected, 5 seats left')
    await choose(page, 'Give license', /^Pro/)
    const question = page.getByRole('dialog', { name: 'Fewer seats than people' })
    await question.getByText(/^27 people without a license are selected, and Pro has 4 seats left/).waitFor()
    await takeScreenshots('licenses-few-seats')
    // Somebody else takes one of these seats before the answer.
    await otherAdmin.grant('olivia@acme.test')
    await question.getByRole('button', { name: 'Give 4 seats' }).click()
    const results = page.getByRole('dialog', { name: 'Not everyone was changed' })
    const reasons = results.getByRole('listitem')
    await reasons.filter({ hasText: 'No seat was left for 1 person' }).getByText('Colleague 03').waitFor()
    const done = 'Adam Admin, Colleague 01, Colleague 02'
    await reasons.filter({ hasText: 'Done for 3 people' }).getByText(done).waitFor()
    await expectAccessible()
    await takeScreenshots('licenses-bulk-results')
    await results.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('columnheader', { name: 'Person' }).getByRole('button').click()
    await page.waitForURL(/sort=-displayName/)
    await rowOf(page, 'Olivia Owner').waitFor()
    await page.getByRole('combobox', { name: 'Entries on a page' }).click()
    await page.getByRole('option', { name: '50 per page' }).click()
    await rowOf(page, 'Colleague 01').waitFor()
    expect(new URL(page.url()).search).toBe('?sort=-displayName&limit=50')
  })

  test('people who are not on the page lose their licenses only after a question, and what was done can be undone', async () => {
    const session = await consoleTest.signIn('adam@acme.test', `${PATH}?show=with`)
    const { page, click, fill, expectHeading, expectText, expectAccessible, takeScreenshots, errors } = session
    await expectHeading('Project Manager')
    await rowOf(page, 'Colleague 02').waitFor()
    await page.getByLabel('Select this page').check()
    await expectText(/^3 selected/)
    await fill('Search by name or email', 'mia')
    await rowOf(page, 'Colleague 02').waitFor({ state: 'detached' })
    await click('Take licenses back')
    const question = page.getByRole('dialog', { name: 'Take 3 licenses back?' })
    await question.getByText(/2 of them are not on this page\.$/).waitFor()
    await expectAccessible()
    await takeScreenshots('licenses-take-back')
    // Another admin is faster, for Mia and later for Colleague 01.
    await otherAdmin.revoke('mia@acme.test')
    await question.getByRole('button', { name: 'Take licenses back' }).click()
    const results = page.getByRole('dialog', { name: 'Not everyone was changed' })
    await results.getByText('Done for 2 people, not for 1 person.').waitFor()
    await expectAccessible()
    await otherAdmin.grant('colleague-1@acme.test')
    await results.getByRole('button', { name: 'Undo' }).click()
    await results.getByText('Done for 1 person, not for 1 person.').waitFor()
    expect(await results.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    expect(await page.getByText('Undone.').count()).toBe(0)
    expect(errors).toEqual([])
  })

  test('members who are loaded for an earlier filter are not selected', async () => {
    const { page, click, fill, expectHeading, expectText } = await consoleTest.signIn('adam@acme.test', PATH)
    await expectHeading('Project Manager')
    const all = /\/seats\?.*limit=100/
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(all, async (route) => {
      await released
      await route.continue()
    })
    await page.getByLabel('Select this page').check()
    await click('Select all 28')
    await fill('Search by name or email', 'mia')
    await rowOf(page, 'Colleague 02').waitFor({ state: 'detached' })
    const reply = page.waitForResponse(all)
    release()
    await (await reply).finished()
    // After the next request, the page has handled that reply.
    await fill('Search by name or email', '')
    await rowOf(page, 'Colleague 02').waitFor()
    await expectText(/^20 selected/)
  })
})
