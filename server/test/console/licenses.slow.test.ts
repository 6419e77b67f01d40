import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { asOwner } from '../support/crowd.ts'
import { FULL } from '../support/rounds.ts'
import { admin, findIds, machineToken } from '../support/world.ts'
import { openStage, type Stage } from './stage.ts'

const PLACE = '/t/acme/licenses/project-manager'
const DAY = 86_400_000

/** What is done past the page, as by a colleague. */
function createColleague({ service }: Stage) {
  const send = async (deed: 'grant' | 'revoke', email: string, type: string) => {
    const { userId } = await findIds(service, email, 'acme')
    const { id: licenseTypeId, application_id: applicationId } = await service.ctx.db
      .selectFrom('license_types')
      .select(['id', 'application_id'])
      .where('slug', '=', type)
      .executeTakeFirstOrThrow()
    return fetch(`${service.url}/api/integration/licenses/${deed}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        authorization: `Bearer ${await machineToken(service.url, 'demo-machine')}`,
      },
      body: JSON.stringify({ userId, applicationId, licenseTypeId }),
    })
  }
  const grant = async (email: string, type = 'pro') =>
    expect((await send('grant', email, type)).status).toBe(201)
  const suspend = async (email: string, isSuspended: boolean) => {
    const { userId } = await findIds(service, email, 'acme')
    const status = isSuspended ? 'SUSPENDED' : 'ACTIVE'
    await service.ctx.db.updateTable('memberships').set({ status }).where('user_id', '=', userId).execute()
  }
  return {
    grant,
    suspend,
    /** Mia has Pro, nobody else has anything, as in the demo. */
    async beginAnew() {
      await suspend('max@acme.test', false)
      for (const name of ['olivia', 'adam', 'mia', 'max']) await send('revoke', `${name}@acme.test`, 'pro')
      await grant('mia@acme.test')
    },
  }
}

/** The line of somebody in the list of people. */
const rowOf = (page: Page, name: string) =>
  page.getByRole('table', { name: 'People' }).getByRole('row').filter({ hasText: name })

const holds = (page: Page, name: string, license: string) =>
  rowOf(page, name).getByRole('cell', { name: license, exact: true }).waitFor()

async function choose(page: Page, button: string, item: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe.runIf(FULL && browserPath)('licenses in the console', () => {
  let stage: Stage
  let colleague: ReturnType<typeof createColleague>
  beforeAll(async () => {
    stage = await openStage()
    colleague = createColleague(stage)
  })
  beforeEach(() => colleague.beginAnew())
  afterAll(() => stage?.close())

  test('a tenant that has bought nothing learns how it begins', async () => {
    const { arriveAt, reads, isAccessible, complaints } = await stage.as(
      'gus@globex.test',
      '/t/globex/licenses',
    )
    await arriveAt('Licenses')
    await reads('No licenses yet')
    await isAccessible()
    expect(complaints).toEqual([])
  })

  test('an admin gives, changes and takes back, and may change their mind', async () => {
    const { page, arriveAt, reads, press, isAccessible, complaints } = await stage.as('adam@acme.test', PLACE)
    await arriveAt('Project Manager')
    await holds(page, 'Max Member', 'None')
    await choose(page, 'Give license to Max Member', /^Pro/)
    await reads('Max Member now has Pro.')
    await holds(page, 'Max Member', 'Pro')
    await reads('2 of 5 seats in use')
    await press('Undo')
    await holds(page, 'Max Member', 'None')
    await reads('1 of 5 seats in use')

    await choose(page, 'Change license of Mia Member', /^Enterprise/)
    await reads('Mia Member now has Enterprise.')
    await reads('All seats are taken')
    await choose(page, 'Change license of Mia Member', 'Take license back')
    await reads('Mia Member no longer has Enterprise.')
    await holds(page, 'Mia Member', 'None')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await holds(page, 'Mia Member', 'Enterprise')

    await page.getByRole('button', { name: 'Give license to Max Member' }).click()
    const full = page.getByRole('menuitem', { name: /Enterprise None left/ })
    await full.waitFor()
    expect(await full.isDisabled()).toBe(true)
    await isAccessible()
    await page.keyboard.press('Escape')
    await choose(page, 'Change license of Mia Member', /^Pro/)
    await holds(page, 'Mia Member', 'Pro')
    expect(complaints).toEqual([])
  })

  test('what was chosen shows before the service answers, and is taken back when it refuses', async () => {
    const { page, arriveAt, reads, complaints } = await stage.as('adam@acme.test', PLACE)
    await arriveAt('Project Manager')
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/licenses/grant', async (route) => {
      await held
      await route.continue()
    })
    await choose(page, 'Give license to Max Member', /^Pro/)
    await holds(page, 'Max Member', 'Pro')
    await reads('2 of 5 seats in use')
    await colleague.suspend('max@acme.test', true)
    answer()
    await reads('That did not work')
    await reads(/active/i)
    await reads('1 of 5 seats in use')
    expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([])
  })

  test('when the last seat is gone there are ways out', async () => {
    const { page, arriveAt, reads, press, isAccessible, picture, complaints } = await stage.as(
      'olivia@acme.test',
      PLACE,
    )
    await arriveAt('Project Manager')
    await page.getByRole('button', { name: 'Give license to Max Member' }).click()
    const item = page.getByRole('menuitem', { name: /^Enterprise/ })
    await item.waitFor()
    await colleague.grant('adam@acme.test', 'enterprise')
    await item.click()
    const dialog = page.getByRole('dialog', { name: 'No seats left' })
    await dialog.getByText('Somebody else has taken the last seat of Enterprise.').waitFor()
    await holds(page, 'Max Member', 'None')
    await dialog.getByText(/we at Acme have used all our Enterprise seats of Project Manager/).waitFor()
    await isAccessible()
    await picture('licenses-no-seats')
    await dialog.getByRole('button', { name: 'Pro (4 left)' }).click()
    await holds(page, 'Max Member', 'Pro')

    await page.getByRole('button', { name: 'Change license of Max Member' }).click()
    await page.getByRole('menuitem', { name: 'Need more seats?' }).click()
    await press('Show who has one')
    await rowOf(page, 'Olivia Owner').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?show=with')
    await reads('Adam Admin')
    expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([])
  })

  test('several people at once, with a result for each', async () => {
    const { page, arriveAt, reads, press, isAccessible, picture, complaints } = await stage.as(
      'adam@acme.test',
      PLACE,
    )
    await arriveAt('Project Manager')
    await page.getByLabel('Select this page').check()
    await reads('4 selected')
    await isAccessible()
    await picture('licenses-bulk')
    await choose(page, 'Give license', /^Pro/)
    const dialog = page.getByRole('dialog', { name: 'Not everyone was changed' })
    await dialog.getByText('Done for 3 people, not for 1 person.').waitFor()
    await dialog
      .getByRole('listitem')
      .filter({ hasText: 'Mia Member' })
      .getByText(/already/i)
      .waitFor()
    await isAccessible()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await holds(page, 'Olivia Owner', 'Pro')

    for (const name of ['Adam Admin', 'Max Member', 'Olivia Owner']) {
      await page.getByLabel(`Select ${name}`).check()
    }
    await press('Take licenses back')
    await reads('3 people no longer have a license.')
    await holds(page, 'Olivia Owner', 'None')
    await press('Undo')
    await holds(page, 'Olivia Owner', 'Pro')
    expect(complaints).toEqual([])
  })

  test('people are found by name and by what they hold, and the address remembers it', async () => {
    const { page, arriveAt, fill, reads, press, complaints } = await stage.as('olivia@acme.test', PLACE)
    await arriveAt('Project Manager')
    await rowOf(page, 'Max Member').waitFor()
    await fill('Search by name or email', 'mi')
    await page.waitForURL(/search=mi/)
    await rowOf(page, 'Max Member').waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Show' }).click()
    await page.getByRole('option', { name: 'Without a license' }).click()
    await reads('Everyone has a license')
    await press('Show everyone')
    await rowOf(page, 'Max Member').waitFor()
    await page.getByRole('combobox', { name: 'Show' }).click()
    await page.getByRole('option', { name: 'With Pro' }).click()
    await rowOf(page, 'Max Member').waitFor({ state: 'detached' })
    await page.reload()
    await rowOf(page, 'Mia Member').waitFor()
    expect(await rowOf(page, 'Max Member').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('members see their own license first and change nothing', async () => {
    const mia = await stage.as('mia@acme.test', PLACE)
    await mia.arriveAt('Project Manager')
    const own = mia.page.getByRole('region', { name: 'Your license' })
    await own.getByText(/^Pro/).waitFor()
    await rowOf(mia.page, 'Olivia Owner').waitFor()
    const [, first] = await mia.page.getByRole('table', { name: 'People' }).getByRole('row').allInnerTexts()
    expect(first).toContain('Mia Member')
    expect(await mia.page.getByRole('button', { name: /license/i }).count()).toBe(0)
    expect(await mia.page.getByRole('checkbox').count()).toBe(0)
    await mia.isAccessible()

    const max = await stage.as('max@acme.test', PLACE)
    await max.reads('You have no license. Ask an admin for one: Adam Admin, Olivia Owner.')
    await max.go('/t/acme/licenses')
    await max.reads('You have no license')
    await max.isAccessible()
    await max.go('/t/acme/licenses/no-such-thing')
    await max.arriveAt('There is nothing here')
    expect([...mia.complaints, ...max.complaints]).toEqual([])
  })

  test('the use over time is drawn, read out by keys, and written as a table', async () => {
    const { page, arriveAt, reads, press, isAccessible, picture, complaints } = await stage.as(
      'adam@acme.test',
      PLACE,
    )
    await arriveAt('Project Manager')
    await reads('No history yet')
    await age(stage, 20)
    await colleague.grant('max@acme.test')
    await page.reload()
    const chart = page.getByRole('slider', { name: /^Seats by day/ })
    await chart.focus()
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/: 2 of 6 seats in use$/)
    await page.keyboard.press('ArrowLeft')
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/: 1 of 6 seats in use$/)
    await page.keyboard.press('Home')
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/: 0 of 0 seats in use$/)
    await isAccessible()
    await page.getByText('30 days').click()
    await page.waitForURL(/days=30/)
    await picture('licenses-usage')
    await press('Show as table')
    const table = page.getByRole('table', { name: 'Seats over time' })
    await table.waitFor()
    expect(await table.getByRole('row').count()).toBe(4)
    await isAccessible()
    expect(complaints).toEqual([])
  })

  test('every state of a subscription says what it means, on a phone too', async () => {
    await sellMore(stage)
    const { page, go, arriveAt, reads, isAccessible, picture, complaints } = await stage.as(
      'adam@acme.test',
      '/t/acme/licenses',
    )
    await arriveAt('Licenses')
    await reads(/Trial ends in 12 days/)
    await reads(/Licenses stop working on .* unless the payment arrives/)
    await reads(/Nobody can use these seats until the license is renewed/)
    await reads('Wiki is free. Everyone here may use it.')
    await picture('licenses-overview')
    await isAccessible()
    await page.setViewportSize({ width: 390, height: 780 })
    await isAccessible()
    for (const [slug, name] of [
      ['wiki', 'Wiki'],
      ['payroll', 'Payroll'],
    ] as const) {
      await go(`/t/acme/licenses/${slug}`)
      await arriveAt(name)
      await reads('Like everyone here')
      expect(await page.getByRole('button', { name: /Give license/ }).count()).toBe(0)
      await isAccessible()
    }
    expect(complaints).toEqual([])
  })
})

/** Whatever happened to licenses until now happened so many days earlier. */
const age = ({ service }: Stage, days: number): Promise<unknown> =>
  asOwner(service, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query('update license_ledger set occurred_at = occurred_at - make_interval(days => $1)', [
      days,
    ])
  })

/** Applications of every mode, and subscriptions in every state. */
async function sellMore({ service: { url }, service }: Stage): Promise<void> {
  const { tenantId } = await findIds(service, 'mia@acme.test', 'acme')
  const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()
  const offer = async (name: string, licensingMode: string, sales: Record<string, object | null>) => {
    const { id: applicationId } = await admin<{ id: string }>(url, '/api/admin/applications', {
      name,
      licensingMode,
    })
    for (const [slug, terms] of Object.entries(sales)) {
      const type = { applicationId, slug, name: slug, features: { read: true } }
      const { id: licenseTypeId } = await admin<{ id: string }>(url, '/api/licensing/license-types', type)
      const path = `/api/licensing/tenants/${tenantId}/subscriptions`
      if (terms) await admin(url, path, { licenseTypeId, quantityPurchased: 3, ...terms })
    }
  }
  await offer('Wiki', 'FREE', { everyone: null })
  await offer('Payroll', 'TENANT_WIDE', { company: { status: 'PAST_DUE', currentPeriodEnd: inDays(2) } })
  await offer('Analytics', 'PER_SEAT', {
    viewer: { status: 'TRIALING', currentPeriodEnd: inDays(12.1) },
    analyst: { status: 'CANCELED', currentPeriodEnd: inDays(30) },
    creator: { status: 'EXPIRED' },
  })
}
