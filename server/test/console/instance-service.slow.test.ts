import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { openStage, type Stage } from './stage.ts'
import { ADMIN, answer, write } from './steps.ts'

describe.runIf(FULL && browserPath)('the service itself, in the console', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  test('tells how it fares, and what to do where something is wrong', async () => {
    const visit = await stage.as(ADMIN, '/instance/health')
    const { page, arriveAt, reads, picture, complaints } = visit
    await arriveAt('Health')
    await reads(/^Latchkey \d/)
    await reads('Takes requests.')
    await page.getByRole('list', { name: 'Checks' }).getByText('The key in use was made today.').waitFor()
    await visit.isAccessible()
    await picture('instance-health')
    expect(complaints).toEqual([])
  })

  test('offers webhooks of the instance, and says where there is none', async () => {
    const visit = await stage.as(ADMIN, '/instance/webhooks')
    const { page, arriveAt, reads, go, complaints } = visit
    await arriveAt('Webhooks')
    await visit.isAccessible()
    await page
      .getByRole('button', { name: /webhook/i })
      .first()
      .waitFor()
    await go('/instance/webhooks/00000000-0000-7000-8000-000000000000')
    await reads(/no such webhook/i)
    expect(complaints.filter((line) => !line.includes('status of 404 '))).toEqual([])
  })

  test('signs with another key: soon, at once, or after a leak with all tokens ended', async () => {
    const visit = await stage.as(ADMIN, '/instance/keys')
    const { page, press, arriveAt, reads, picture, complaints } = visit
    await arriveAt('Signing keys')
    const keys = page.getByRole('table', { name: 'Signing keys' })
    await keys.getByText('Signing now').waitFor()
    await visit.isAccessible()
    await press('Rotate key')
    await answer(visit, 'Rotate key')
    await keys.getByText('Next', { exact: true }).waitFor()
    await visit.isAccessible()
    await picture('instance-keys')
    await press('Rotate at once')
    await answer(visit, 'Rotate at once')
    await keys.getByText('Published', { exact: true }).waitFor()
    await press('Withdraw all keys')
    const withdraw = page.getByRole('dialog').getByRole('button', { name: 'Withdraw all keys' })
    expect(await withdraw.isDisabled()).toBe(true)
    await visit.isAccessible()
    await write(visit, 'Type “withdraw” to confirm', 'withdraw')
    await answer(visit, 'Withdraw all keys')
    await keys.getByText('Published', { exact: true }).waitFor({ state: 'detached' })
    await reads('Signing now')
    // Whoever did it goes on with a token of the new key.
    await page.getByRole('link', { name: 'Users' }).click()
    await arriveAt('Users')
    await reads('mia@acme.test')
    expect(complaints.filter((line) => !line.includes('status of 401 '))).toEqual([])
  })
})
