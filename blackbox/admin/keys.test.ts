import { expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { admin, newApplication, newMachine } from '../support/admin.ts'
import { asPerson, call, fromOwnPage, refusal } from '../support/calls.ts'
import { thirdPartyHeaders } from '../support/licensing.ts'
import { askMachineToken, bearer } from '../support/oauth.ts'
import { demoPerson, newPerson } from '../support/person.ts'
import { type Answer, base } from '../support/service.ts'

// Other suites use the same service, so nothing here withdraws a key: that would end their tokens.

interface Key {
  kid: string
  alg: string
  state: string
  activatesAt: string
}
interface Page {
  keys: Key[]
  pagination: { total: number }
}

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const publishedKids = async () => {
  const { keys } = (await (await fetch(`${base}/api/oauth/jwks`)).json()) as { keys: { kid: string }[] }
  return keys.map(({ kid }) => kid)
}

test('a rotation publishes a key that will sign, and the list shows it in front of the one that does', async () => {
  const made = await admin<Key>('POST', '/keys/rotate', {})
  // Somebody else may have rotated just now.
  expect([200, 201]).toContain(made.status)
  expect(made.body).toEqual({
    ...{ kid: expect.any(String), alg: 'RS256', state: 'upcoming' },
    ...{ createdAt: MOMENT, activatesAt: MOMENT, retiresAt: null },
  })
  const { status, body }: Answer<Page> = await admin<Page>('GET', '/keys')
  expect(status).toBe(200)
  expect(body.keys[0]?.kid).toBe(made.body.kid)
  expect(body.keys.filter(({ state }) => state === 'signing')).toHaveLength(1)
  expect(body.pagination).toMatchObject({ page: 1, limit: 20, total: body.keys.length })
  expect(await publishedKids()).toEqual(body.keys.map(({ kid }) => kid))
  // Another one finds it waiting.
  expect(await admin<Key>('POST', '/keys/rotate', {})).toMatchObject({
    ...{ status: 200, body: { kid: made.body.kid } },
  })
})

test('nothing of a key but its name and its times is told', async () => {
  const { body } = await admin<Page>('GET', '/keys')
  const fields = ['activatesAt', 'alg', 'createdAt', 'kid', 'retiresAt', 'state']
  for (const key of body.keys) expect(Object.keys(key).sort()).toEqual(fields)
})

const superAdmin = demoPerson('admin@latchkey.test')

test('a Super Admin may, through an application of ours alone', async () => {
  const headers = await asPerson(superAdmin, client)
  expect((await call('GET', '/api/admin/keys', { headers })).status).toBe(200)
  const thirdParty = await thirdPartyHeaders(superAdmin)
  expect((await call('GET', '/api/admin/keys', { headers: thirdParty })).body).toEqual(
    refusal(403, 'FORBIDDEN'),
  )
})

test('nobody else may look at the keys or rotate them', async () => {
  const somebody = await newPerson()
  const application = await newApplication()
  const other = await newMachine(application, ['reports:read'])
  const machine = bearer((await askMachineToken(other, {})).body.access_token)
  const before = (await admin<Page>('GET', '/keys')).body.keys.map(({ kid }) => kid)
  for (const [headers, status, code] of [
    [{}, 401, 'UNAUTHORIZED'],
    [bearer('nonsense'), 401, 'UNAUTHORIZED'],
    [fromOwnPage(await superAdmin.signIn()), 401, 'UNAUTHORIZED'],
    [machine, 403, 'FORBIDDEN'],
    [await asPerson(somebody, client), 403, 'FORBIDDEN'],
  ] as const) {
    const looked = await call('GET', '/api/admin/keys', { headers })
    const rotated = await call('POST', '/api/admin/keys/rotate', { headers, body: { leaked: true } })
    for (const answer of [looked, rotated]) {
      expect([answer.status, answer.body]).toEqual([status, refusal(status, code)])
    }
  }
  expect((await admin<Page>('GET', '/keys')).body.keys.map(({ kid }) => kid)).toEqual(before)
})

test.each([
  ['GET', '/keys?page=0', undefined],
  ['GET', '/keys?limit=ten', undefined],
  ['POST', '/keys/rotate', { leaked: 'yes' }],
])('%s %s %o is refused with 422', async (method, path, body) => {
  const answer = await admin(method, path, body)
  expect([answer.status, answer.body.error]).toEqual([422, 'VALIDATION_FAILED'])
})
