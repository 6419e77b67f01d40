import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { newApplication } from '../support/admin.ts'
import { asPerson, call, errorBody, fromOwnPage } from '../support/calls.ts'
import { type Headers, newMachineHeaders, thirdPartyHeaders } from '../support/licensing.ts'
import { bearer, getTokens, revokeToken } from '../support/oauth.ts'
import { demoPerson, newConfirmedPerson } from '../support/person.ts'
import { newOwnedTenant } from '../support/tenants.ts'
import { callUsers, newAddress, newUser } from '../support/users.ts'

const application = await newApplication()
const { tenant, owner } = await newOwnedTenant()
const superAdmin = demoPerson('admin@latchkey.test')
const plain = await newConfirmedPerson()
const target = await newUser()

const machine = (scopes: string[], tenantId?: string) => newMachineHeaders(application, scopes, tenantId)

async function getRevokedToken(): Promise<Headers> {
  const { access_token } = await getTokens(await superAdmin.signIn(), client)
  await revokeToken(client, access_token)
  return bearer(access_token)
}

const CALLERS: [string, Headers, 'in' | 401 | 403][] = [
  ['a Super Admin', await asPerson(superAdmin, client), 'in'],
  ['a machine of the instance with the scope admin', await machine(['admin']), 'in'],
  ['a machine of the instance with another scope', await machine(['licenses:write']), 403],
  ['a machine of a tenant with the scope admin', await machine(['admin'], tenant.id), 403],
  ['the owner of a tenant', owner.headers, 403],
  ['a plain person', await asPerson(plain, client), 403],
  ['a third-party application of a Super Admin', await thirdPartyHeaders(superAdmin), 403],
  ['the cookie of a Super Admin', fromOwnPage(await superAdmin.signIn()), 401],
  ['a revoked token of a Super Admin', await getRevokedToken(), 401],
  ['no authentication', {}, 401],
]

const at = `/api/admin/users/${target.id}`
/** For a permitted caller each request is invalid or changes nothing. */
const ROUTES: [string, string, object | undefined, number][] = [
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
  ['GET', `${at}/consents`, undefined, 200],
  ['DELETE', `${at}/consents`, undefined, 200],
  ['DELETE', `${at}/consents/${application}`, undefined, 404],
]

describe.each(CALLERS)('%s', (_, headers, verdict) => {
  test.each(ROUTES)('%s %s', async (method, path, body, status) => {
    const response = await call(method, path, { headers, body })
    if (verdict === 'in') {
      expect(response.status).toBe(status)
      return
    }
    expect(response.body).toEqual(errorBody(verdict, verdict === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
    if (verdict === 401) expect(response.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
  })
})

test('refused callers change nothing', async () => {
  const email = newAddress()
  for (const [, headers, verdict] of CALLERS.filter(([, , verdict]) => verdict !== 'in')) {
    expect((await call('POST', '/api/admin/users', { headers, body: { email } })).status).toBe(verdict)
    expect((await call('PATCH', at, { headers, body: { disabled: true } })).status).toBe(verdict)
    expect((await call('DELETE', at, { headers })).status).toBe(verdict)
  }
  expect((await callUsers('GET', `/${target.id}`)).body).toMatchObject({
    disabled: false,
    deletionRequestedAt: null,
  })
  expect((await callUsers('GET', `?search=${email}`)).body).toMatchObject({ users: [] })
})
