import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, call } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, obtainTokens, signIn, startWorld, userinfo } from '../support/world.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startWorld()
  url = service.url
})
afterAll(() => service.close())

const ops = async () => ({ authorization: `Bearer ${await machineToken(url, 'demo-ops')}` })
const list = async (query = ''): Promise<Answer> =>
  call(`${url}/api/admin/keys${query}`, { method: 'GET', headers: await ops() })
const rotate = async (body?: object, headers = {}): Promise<Answer> =>
  call(`${url}/api/admin/keys/rotate`, { method: 'POST', body, headers: { ...(await ops()), ...headers } })

interface Key {
  kid: string
  state: string
}
const keysIn = ({ body }: Answer) => body.keys as Key[]
const statesNow = async () => keysIn(await list()).map(({ state }) => state)
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

test('the keys are listed without anything secret, in pages', async () => {
  const answer = await list()
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    keys: [
      {
        ...{ kid: expect.any(String), alg: 'RS256', state: 'signing' },
        ...{ createdAt: MOMENT, activatesAt: MOMENT, retiresAt: null },
      },
    ],
    pagination: { page: 1, limit: 20, total: 1, pages: 1 },
  })
  expect((await list('?page=2')).body).toMatchObject({ keys: [], pagination: { page: 2, total: 1 } })
  for (const query of ['?page=0', '?limit=x']) expect((await list(query)).status).toBe(422)
})

test('a rotation answers the next key, which waits for its turn; another finds it there', async () => {
  const made = await rotate()
  expect(made).toMatchObject({ status: 201, body: { state: 'upcoming', retiresAt: null } })
  expect(await statesNow()).toEqual(['upcoming', 'signing'])
  expect(await rotate({})).toMatchObject({ status: 200, body: { kid: made.body.kid, state: 'upcoming' } })
  const brought = await rotate({ immediately: true })
  expect(brought).toMatchObject({ status: 200, body: { kid: made.body.kid, state: 'signing' } })
  expect(await statesNow()).toEqual(['signing', 'published'])
  expect(keysIn(await list())[1]).toMatchObject({ retiresAt: MOMENT })
})

test('after a leak one key is left, and no token from before is good', async () => {
  const cookie = await signIn(url, 'mia@acme.test')
  const { access_token } = await obtainTokens(url, cookie)
  expect(await userinfo(url, access_token)).toBe(200)
  const made = await rotate({ leaked: true })
  expect(made).toMatchObject({ status: 201, body: { state: 'signing' } })
  expect(keysIn(await list()).map(({ kid }) => kid)).toEqual([made.body.kid])
  expect(await userinfo(url, access_token)).toBe(401)
  expect(await userinfo(url, (await obtainTokens(url, cookie)).access_token)).toBe(200)
})

test('of several replacements at once one key is left, and it signs', async () => {
  const headers = await ops()
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      call(`${url}/api/admin/keys/rotate`, { method: 'POST', body: { leaked: true }, headers }),
    ),
  )
  // Whose token was void before it was looked at did nothing.
  for (const { status } of answers) expect([200, 201, 401]).toContain(status)
  expect(await statesNow()).toEqual(['signing'])
  expect(await machineToken(url, 'demo-ops')).toBeDefined()
})

test('a replacement with an Idempotency-Key is done once', async () => {
  const again = { 'Idempotency-Key': 'leaked at noon' }
  const [first, second] = [await rotate({ leaked: true }, again), await rotate({ leaked: true }, again)]
  expect(second.body).toEqual(first.body)
  expect(keysIn(await list()).map(({ kid }) => kid)).toEqual([first.body.kid])
})

test.each([
  ['yes for true', { leaked: 'yes' }, 'leaked'],
  ['a number', { immediately: 1 }, 'immediately'],
])('%s is refused, and the field is named', async (_name, body, field) => {
  const { status, body: answer } = await rotate(body)
  expect(status).toBe(422)
  expect(answer.details).toEqual([expect.objectContaining({ field })])
})
