import { afterAll, beforeAll, expect, test } from 'vitest'
import { maintainKeys } from '../../src/oauth/signing-keys/service.ts'
import { type ApiResponse, call } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, startDemoService } from '../support/world.ts'
import { BY_OPS, BY_SYSTEM, captureEntries, captureEntry } from './entries.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const rotate = async (body: object): Promise<ApiResponse> =>
  call(`${service.url}/api/admin/keys/rotate`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}` },
  })

test('creating, activating early and withdrawing a signing key record an entry each', async () => {
  let made: ApiResponse | undefined
  const created = await captureEntry(service, async () => {
    made = await rotate({})
  })
  const { kid, activatesAt } = made?.body ?? {}
  expect(created).toMatchObject({ action: 'signing_key.created', ...BY_OPS, details: { kid, activatesAt } })
  // The key is already scheduled, so nothing changes.
  expect(await captureEntries(service, () => rotate({}))).toEqual([])
  const activated = await captureEntry(service, () => rotate({ immediately: true }))
  expect(activated).toMatchObject({ action: 'signing_key.brought_forward', ...BY_OPS, details: { kid } })
  const replaced = await captureEntries(service, () => rotate({ leaked: true }))
  expect(replaced.map(({ action }) => action).sort()).toEqual([
    'signing_key.created',
    'signing_key.withdrawn',
    'signing_key.withdrawn',
  ])
  expect(replaced.map(({ details }) => details.kid)).toContain(kid)
  for (const entry of replaced) expect(entry).toMatchObject(BY_OPS)
})

test('a scheduled key rotation records the system as actor', async () => {
  service.advance(91 * 86_400_000)
  const made = await captureEntry(service, () => maintainKeys.run(service.ctx, {}))
  expect(made).toMatchObject({ action: 'signing_key.created', ...BY_SYSTEM, request_id: null })
  service.advance(-91 * 86_400_000)
  const [first] = await service.ctx.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('action', '=', 'signing_key.created')
    .orderBy('id')
    .execute()
  expect(first).toMatchObject({ ...BY_SYSTEM, request_id: null, personal: {} })
})
