import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { startService, type TestService } from '../support/service.ts'
import { callAsOps, createTenantHook, openShop, type Shop, startWithoutJobs } from './world.ts'

let service: TestService
let strict: TestService
let shop: Shop
beforeAll(async () => {
  service = await startWithoutJobs()
  strict = await startService({ sameDatabaseAs: service })
})
beforeEach(async () => {
  shop = await openShop(service)
})
afterAll(async () => {
  await strict?.close()
  await service?.close()
})

const WEBHOOK_URL = 'https://hooks.test/in?token=hush'

describe('validation refuses', () => {
  const refused = async (draft: object, at: TestService = service) => {
    const path = `/api/tenants/${shop.company.id}/webhooks`
    const { status, body } = await (at === service
      ? shop.owner.call('POST', path, draft)
      : callAsOps(at, 'POST', '/api/admin/webhooks', draft))
    return status === 422 ? (body as { details: { field: string }[] }).details.map(({ field }) => field) : status
  }

  test.each([
    '',
    'hooks.test',
    '/in',
    'ftp://hooks.test/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://user:pass@hooks.test/',
    'https://user@hooks.test/',
    'https://hooks.test/#x',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://0x0a.1/',
    'https://[fd00::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://hooks.test/ x',
    'https://hööks.test/',
    'https://',
    `https://hooks.test/${'x'.repeat(2_000)}`,
  ])('the URL %s', async (url) => {
    expect(await refused({ url, events: ['*'] })).toEqual(['url'])
  })

  test('a URL without TLS or with a loopback address, unless operators have allowed it', async () => {
    for (const url of ['http://hooks.test/', 'https://127.0.0.1/', 'http://127.0.0.1/']) {
      expect(await refused({ url, events: ['*'] }, strict)).toEqual(['url'])
    }
    expect(await refused({ url: 'http://hooks.test/', events: ['*'] })).toBe(201)
    // A public address always requires TLS.
    expect(await refused({ url: 'http://8.8.8.8/', events: ['*'] })).toEqual(['url'])
  })

  test.each([
    [[], ['events']],
    [['nothing.*'], ['events.0']],
    [['user.*', 'user.nothing'], ['events.1']],
    [['webhook.created'], ['events.0']],
    [['user*'], ['events.0']],
    [['*', '*'], ['events']],
    [Array.from({ length: 101 }, () => '*'), ['events']],
  ])('the events %j', async (events, fields) => {
    expect(await refused({ url: WEBHOOK_URL, events })).toEqual(fields)
  })

  test('a description that is too long or has several lines', async () => {
    for (const description of ['x'.repeat(501), 'two\nlines', 'a\u202eb']) {
      expect(await refused({ url: WEBHOOK_URL, events: ['*'], description })).toEqual(['description'])
    }
  })

  test.each([{}, { to: '2030-01-01T00:00:00Z' }, { after: -1 }, { after: 0, types: ['x'] }, { from: 'then' }])(
    'a replay of %j',
    async (request) => {
      const hook = await createTenantHook(shop, WEBHOOK_URL)
      expect(await hook.call('POST', '/replay', request)).toMatchObject({ status: 422 })
    },
  )

  test.each(['10.0.0.0/33', 'localhost', '10.0.0.0/8/8', '10.0.0.0/x'])('the network %s', (network) => {
    expect(() => loadConfig('demo', { WEBHOOK_ALLOWED_NETWORKS: `127.0.0.1, ${network}` })).toThrow(
      `WEBHOOK_ALLOWED_NETWORKS holds "${network}"`,
    )
  })
})
