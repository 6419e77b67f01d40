import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiResponse, call } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, obtainTokens, signIn, startDemoService, userinfo } from '../support/world.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())

const ops = async () => ({ authorization: `Bearer ${await machineToken(url, 'demo-ops')}` })
const list = async (query = ''): Promise<ApiResponse> =>
  call(`${url}/api/admin/keys${query}`, { method: 'GET', headers: await ops() })
const rotate = async (body?: object, headers = {}): Promise<ApiResponse> =>
  call(`${url}/api/admin/keys/rotate`, { method: 'POST', body, headers: { ...(await ops()), ...headers } })

interface Key {
  kid: string
  state: string
}
const keysIn = ({ body }: ApiResponse) => body.keys as Key[]
const statesNow = async () => keysIn(await list()).map(({ state }) => state)
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

test('keys are listed in pages and without key material', async () => {
  const answer = await list()
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    keys: [
      {
        kid: expect.any(String),
        alg: 'RS256',
        state: 'signing',
        createdAt: TIMESTAMP,
        activatesAt: TIMESTAMP,
        retiresAt: null,
      },
    ],
    pagination: { page: 1, limit: 20, total: 1, pages: 1 },
  })
  expect((await list('?page=2')).body).toMatchObject({ keys: [], pagination: { page: 2, total: 1 } })
  for (const query of ['?page=0', '?limit=x']) expect((await list(query)).status).toBe(422)
})

test('a rotation returns the upcoming key, and a second rotation returns the same', async () => {
  const made = await rotate()
  expect(made).toMatchObject({ status: 201, body: { state: 'upcoming', retiresAt: null } })
  expect(await statesNow()).toEqual(['upcoming', 'signing'])
  expect(await rotate({})).toMatchObject({ status: 200, body: { kid: made.body.kid, state: 'upcoming' } })
  const activated = await rotate({ immediately: true })
  expect(activated).toMatchObject({ status: 200, body: { kid: made.body.kid, state: 'signing' } })
  expect(await statesNow()).toEqual(['signing', 'published'])
  expect(keysIn(await list())[1]).toMatchObject({ retiresAt: TIMESTAMP })
})

test('replacing a leaked key leaves one key and invalidates all tokens', async () => {
  const cookie = await signIn(url, 'mia@acme.test')
  const { access_token } = await obtainTokens(url, cookie)
  expect(await userinfo(url, access_token)).toBe(200)
  const made = await rotate({ leaked: true })
  expect(made).toMatchObject({ status: 201, body: { state: 'signing' } })
  expect(keysIn(await list()).map(({ kid }) => kid)).toEqual([made.body.kid])
  expect(await userinfo(url, access_token)).toBe(401)
  expect(await userinfo(url, (await obtainTokens(url, cookie)).access_token)).toBe(200)
})

test('concurrent replacements leave one key, which signs', async () => {
  const headers = await ops()
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      call(`${url}/api/admin/keys/rotate`, { method: 'POST', body: { leaked: true }, headers }),
    ),
  )
  // Some requests get 401, because another replacement invalidated their token first.
  for (const { status } of answers) expect([200, 201, 401]).toContain(status)
  expect(await statesNow()).toEqual(['signing'])
  expect(await machineToken(url, 'demo-ops')).toBeDefined()
})

test('a replacement with an Idempotency-Key is executed once', async () => {
  const again = { 'Idempotency-Key': 'leaked at noon' }
  const [first, second] = [await rotate({ leaked: true }, again), await rotate({ leaked: true }, again)]
  expect(second.body).toEqual(first.body)
  expect(keysIn(await list()).map(({ kid }) => kid)).toEqual([first.body.kid])
})

test.each([
  ['a string for a boolean', { leaked: 'yes' }, 'leaked'],
  ['a number for a boolean', { immediately: 1 }, 'immediately'],
])('%s is refused with the name of the field', async (_name, body, field) => {
  const { status, body: answer } = await rotate(body)
  expect(status).toBe(422)
  expect(answer.details).toEqual([expect.objectContaining({ field })])
})
