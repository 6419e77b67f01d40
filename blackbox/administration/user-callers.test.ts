import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { newApplication } from '../support/admin.ts'
import { asPerson, call, fromOwnPage, refusal } from '../support/calls.ts'
import { type Headers, newMachineHeaders, thirdPartyHeaders } from '../support/licensing.ts'
import { bearer, getTokens, revoke } from '../support/oauth.ts'
import { demoPerson, newConfirmedPerson } from '../support/person.ts'
import { newOwnedTenant } from '../support/tenants.ts'
import { newAddress, newUser, users } from '../support/users.ts'

const application = await newApplication()
const { tenant, owner } = await newOwnedTenant()
const boss = demoPerson('admin@latchkey.test')
const plain = await newConfirmedPerson()
const target = await newUser()

const machine = (scopes: string[], tenantId?: string) => newMachineHeaders(application, scopes, tenantId)

async function deadToken(): Promise<Headers> {
  const { access_token } = await getTokens(await boss.signIn(), client)
  await revoke(client, access_token)
  return bearer(access_token)
}

const CALLERS: [string, Headers, 'in' | 401 | 403][] = [
  ['a Super Admin', await asPerson(boss, client), 'in'],
  ['a machine of the instance with the scope admin', await machine(['admin']), 'in'],
  ['a machine of the instance with another scope', await machine(['licenses:write']), 403],
  ['a machine of a tenant with the scope admin', await machine(['admin'], tenant.id), 403],
  ['the owner of a tenant', owner.headers, 403],
  ['a plain person', await asPerson(plain, client), 403],
  ['a third-party application of a Super Admin', await thirdPartyHeaders(boss), 403],
  ['the cookie of a Super Admin', fromOwnPage(await boss.signIn()), 401],
  ['a dead token of a Super Admin', await deadToken(), 401],
  ['nobody', {}, 401],
]

const at = `/api/admin/users/${target.id}`
/** For whoever may enter, each is refused for what it asks, or changes nothing. */
const DOORS: [string, string, object | undefined, number][] = [
  ['GET', '/api/admin/users', undefined, 200],
  ['POST', '/api/admin/users', { email: target.email }, 409],
  ['GET', at, undefined, 200],
  ['PATCH', at, { disabled: false }, 200],
  ['PATCH', at, {}, 422],
  ['DELETE', `${at}x`, undefined, 404],
  ['POST', `${at}/restore`, undefined, 409],
  ['POST', `${at}x/password-reset`, undefined, 404],
  ['DELETE', `${at}/sessions`, undefined, 200],
  ['DELETE', `${at}/mfa`, undefined, 404],
]

describe.each(CALLERS)('%s', (_, headers, verdict) => {
  test.each(DOORS)('%s %s', async (method, path, body, status) => {
    const answer = await call(method, path, { headers, body })
    if (verdict === 'in') {
      expect(answer.status).toBe(status)
      return
    }
    expect(answer.body).toEqual(refusal(verdict, verdict === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
    if (verdict === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
  })
})

test('who may not enter changes nothing', async () => {
  const email = newAddress()
  for (const [, headers, verdict] of CALLERS.filter(([, , verdict]) => verdict !== 'in')) {
    expect((await call('POST', '/api/admin/users', { headers, body: { email } })).status).toBe(verdict)
    expect((await call('PATCH', at, { headers, body: { disabled: true } })).status).toBe(verdict)
    expect((await call('DELETE', at, { headers })).status).toBe(verdict)
  }
  expect((await users('GET', `/${target.id}`)).body).toMatchObject({
    disabled: false,
    deletionRequestedAt: null,
  })
  expect((await users('GET', `?search=${email}`)).body).toMatchObject({ users: [] })
})
