import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { openStage, type Stage, type Visit } from './stage.ts'
import { ADMIN, besides, fitsPhone, PIXEL } from './steps.ts'

describe.runIf(FULL && browserPath)('the instance in the console', () => {
  let stage: Stage
  let visit: Visit
  beforeAll(async () => {
    stage = await openStage()
    visit = await stage.as(ADMIN, '/instance')
  })
  afterAll(() => stage?.close())

  const textbox = (name: string | RegExp) => visit.page.getByRole('textbox', { name, exact: true })
  const dialog = () => visit.page.getByRole('dialog')
  const openTab = (name: string) => visit.page.getByRole('tab', { name }).click()
  const isAccessible = () => visit.isAccessible()
  const onPhone = () => fitsPhone(visit)

  test('the overview shows what there is, who signed in, and that all is well', async () => {
    const { page, arriveAt, reads, picture } = visit
    await arriveAt('Overview')
    await reads('Everything runs as it should.')
    await page.getByRole('link', { name: /^Users 6/ }).waitFor()
    await page.getByRole('link', { name: /^Applications 1 With 4 clients/ }).waitFor()
    await reads('Of 6 that tenants own')
    await page.getByRole('img', { name: /sign-ins succeeded and \d+ failed/ }).waitFor()
    await isAccessible()
    await onPhone()
    await picture('instance')
    await page.getByRole('link', { name: 'See details' }).click()
    await arriveAt('Health')
  })

  test('applications are found by a search that stands in the address', async () => {
    const { page, go, arriveAt, reads, picture } = visit
    await go('/instance/applications')
    await arriveAt('Applications')
    await page.getByRole('searchbox', { name: 'Search applications' }).fill('nothing like it')
    await reads('No application matches')
    expect(page.url()).toContain('search=nothing')
    await visit.press('Clear')
    await page.getByRole('link', { name: 'Project Manager' }).waitFor()
    await isAccessible()
    await onPhone()
    await picture('applications')
    await page.getByRole('link', { name: 'Project Manager' }).click()
    await arriveAt('Project Manager')
  })

  test('settings are saved, and what is refused is told at its field', async () => {
    const { page, press, reads, picture } = visit
    await openTab('Settings')
    await page.getByPlaceholder('900 (15 minutes, as the instance)').waitFor()
    await textbox('Slug').fill('Not A Slug')
    await press('Save')
    await reads(/small letters, digits and hyphens/)
    await isAccessible()
    await textbox('Slug').fill('project-manager')
    await textbox('Access token').fill('600')
    await reads('10 minutes')
    await page.getByRole('radio', { name: 'Whole tenant' }).click()
    await press('Save')
    await reads('Saved.')
    await page.reload()
    expect(await textbox('Access token').inputValue()).toBe('600')
    await page.getByRole('radio', { name: 'Per seat' }).click()
    await textbox('Access token').fill('')
    await press('Save')
    await reads('Saved.')
    await onPhone()
    await picture('application-settings')
  })

  test('branding is seen before it is saved, and removed', async () => {
    const { page, press, reads, picture } = visit
    await openTab('Branding')
    await textbox('Name on the pages').fill('Plans & Co')
    await page.getByRole('img', { name: 'Preview: Plans & Co' }).waitFor()
    await textbox('Color').fill('#2f9e44')
    await textbox('Name on the pages').click()
    const big = { name: 'big.png', mimeType: 'image/png', buffer: Buffer.alloc(70 * 1024) }
    await page.locator('input[type=file]').setInputFiles(big)
    await reads(/70 KiB/)
    const broken = { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') }
    await page.locator('input[type=file]').setInputFiles(broken)
    await press('Save')
    await reads(/must be a whole PNG, JPEG or WebP picture/)
    await page.locator('input[type=file]').setInputFiles({ ...broken, buffer: PIXEL })
    await press('Save')
    await reads('Saved.')
    await isAccessible()
    await onPhone()
    await picture('application-branding')
    const shown = await fetch(`${stage.service.url}/login?client_id=demo-spa`)
    expect(shown.status).toBe(200)
    await press('Remove branding')
    await dialog().getByRole('button', { name: 'Remove branding' }).click()
    await reads('The branding was removed.')
    const name = () => textbox('Name on the pages').inputValue()
    await expect.poll(name).toBe('')
  })

  test('what is not there is not found', async () => {
    const { go, arriveAt } = visit
    await go('/instance/nowhere')
    await arriveAt('There is nothing here')
    expect(besides(visit.complaints, 409, 422)).toEqual([])
  })

  test('whoever does not run the instance sees none of it', async () => {
    const { page, go, arriveAt, complaints } = await stage.as('olivia@acme.test', '/instance')
    await arriveAt('There is nothing here')
    expect(await page.getByRole('link', { name: 'Applications' }).count()).toBe(0)
    for (const path of ['/instance/applications', '/instance/applications/new', '/instance/license-types']) {
      await go(path)
      await arriveAt('There is nothing here')
    }
    expect(complaints).toEqual([])
  })

  test('an application is deleted by its slug; without any, the overview shows the way to begin', async () => {
    const { page, go, press, arriveAt, reads, picture } = visit
    await go('/instance/applications')
    await page.getByRole('link', { name: 'Project Manager' }).click()
    await openTab('Settings')
    await press('Delete application')
    await dialog()
      .getByText(/its 4 clients/)
      .waitFor()
    const confirm = dialog().getByRole('button', { name: 'Delete application' })
    expect(await confirm.isDisabled()).toBe(true)
    await isAccessible()
    await dialog().getByRole('textbox').fill('project-manager')
    await confirm.click()
    await reads('Project Manager was deleted.')
    await arriveAt('Applications')
    await reads('No applications yet')
    await go('/instance/license-types')
    await reads('No applications yet')
    await go('/instance')
    await page.getByRole('link', { name: 'Create your first application' }).waitFor()
    await isAccessible()
    await picture('instance-empty')
    await page.getByRole('link', { name: 'Create your first application' }).click()
    await arriveAt('Create an application')
    expect(besides(visit.complaints, 409, 422)).toEqual([])
  })
})
