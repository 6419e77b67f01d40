import { expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { callAdmin, newApplication, newMachine } from '../support/admin.ts'
import { asPerson, call, errorBody, fromOwnPage } from '../support/calls.ts'
import { thirdPartyHeaders } from '../support/licensing.ts'
import { bearer, requestMachineToken } from '../support/oauth.ts'
import { demoPerson, newPerson } from '../support/person.ts'
import { type ApiResponse, baseUrl } from '../support/service.ts'

// Other suites use the same service, so no key is withdrawn here: that would revoke their tokens.

interface Key {
  kid: string
  alg: string
  state: string
  activatesAt: string
  /** The keys of other algorithms. Other suites have applications that use some. */
  others?: Key[]
}
interface Page {
  keys: Key[]
  pagination: { total: number }
}

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const publishedKids = async () => {
  const { keys } = (await (await fetch(`${baseUrl}/api/oauth/jwks`)).json()) as { keys: { kid: string }[] }
  return keys.map(({ kid }) => kid)
}

test('a rotation publishes a pending key, and the list shows it before the signing key', async () => {
  const made = await callAdmin<Key>('POST', '/keys/rotate', {})
  // Another test may have rotated just before.
  expect([200, 201]).toContain(made.status)
  const { others: _, ...first } = made.body
  expect(first).toEqual({
    kid: expect.any(String),
    alg: 'RS256',
    state: 'upcoming',
    createdAt: MOMENT,
    activatesAt: MOMENT,
    retiresAt: null,
  })
  const { status, body }: ApiResponse<Page> = await callAdmin<Page>('GET', '/keys')
  expect(status).toBe(200)
  expect(body.keys[0]?.kid).toBe(made.body.kid)
  expect(body.keys.filter(({ state }) => state === 'signing')).toHaveLength(1)
  expect(body.pagination).toMatchObject({ page: 1, limit: 20, total: body.keys.length })
  expect(await publishedKids()).toEqual(body.keys.map(({ kid }) => kid))
  // A second rotation returns the pending key.
  expect(await callAdmin<Key>('POST', '/keys/rotate', {})).toMatchObject({
    status: 200,
    body: { kid: made.body.kid },
  })
})

test('the list contains only the names and times of keys', async () => {
  const { body } = await callAdmin<Page>('GET', '/keys')
  const fields = ['activatesAt', 'alg', 'createdAt', 'kid', 'retiresAt', 'state']
  for (const key of body.keys) expect(Object.keys(key).sort()).toEqual(fields)
})

const superAdmin = demoPerson('admin@latchkey.test')

test('a Super Admin may rotate, but only through a trusted application', async () => {
  const headers = await asPerson(superAdmin, client)
  expect((await call('GET', '/api/admin/keys', { headers })).status).toBe(200)
  const thirdParty = await thirdPartyHeaders(superAdmin)
  expect((await call('GET', '/api/admin/keys', { headers: thirdParty })).body).toEqual(errorBody(403, 'FORBIDDEN'))
})

test('other callers may neither list nor rotate keys', async () => {
  const otherPerson = await newPerson()
  const application = await newApplication()
  const other = await newMachine(application, ['reports:read'])
  const machine = bearer((await requestMachineToken(other, {})).body.access_token)
  const before = (await callAdmin<Page>('GET', '/keys')).body.keys.map(({ kid }) => kid)
  for (const [headers, status, code] of [
    [{}, 401, 'UNAUTHORIZED'],
    [bearer('nonsense'), 401, 'UNAUTHORIZED'],
    [fromOwnPage(await superAdmin.signIn()), 401, 'UNAUTHORIZED'],
    [machine, 403, 'FORBIDDEN'],
    [await asPerson(otherPerson, client), 403, 'FORBIDDEN'],
  ] as const) {
    const looked = await call('GET', '/api/admin/keys', { headers })
    const rotated = await call('POST', '/api/admin/keys/rotate', { headers, body: { leaked: true } })
    for (const response of [looked, rotated]) {
      expect([response.status, response.body]).toEqual([status, errorBody(status, code)])
    }
  }
  expect((await callAdmin<Page>('GET', '/keys')).body.keys.map(({ kid }) => kid)).toEqual(before)
})

test.each([
  ['GET', '/keys?page=0', undefined],
  ['GET', '/keys?limit=ten', undefined],
  ['POST', '/keys/rotate', { leaked: 'yes' }],
])('%s %s %o is refused with 422', async (method, path, body) => {
  const response = await callAdmin(method, path, body)
  expect([response.status, response.body.error]).toEqual([422, 'VALIDATION_FAILED'])
})
