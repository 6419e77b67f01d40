import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { newApplication, newMachine, OPS } from '../support/admin.ts'
import {
  asPerson,
  call,
  errorBody,
  expectForbidden,
  fromOwnPage,
  newForbiddenCallers,
  ownOrigin,
  withCookies,
} from '../support/calls.ts'
import { bearer, requestMachineToken } from '../support/oauth.ts'
import { demoPerson } from '../support/person.ts'
import { unique } from '../support/service.ts'
import { invite, listMembers, newCaller, newMember, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant(unique('Secret name'))
const member = await newMember(owner.headers, tenant.id)
const guest = `${unique('someone')}@blackbox.test`
const invitationId = await invite(owner.headers, tenant.id, { email: guest })
const TENANT_PATH = `/api/tenants/${tenant.id}`

type Route = [method: string, path: string, body?: object]

const READS: Route[] = [
  ['GET', TENANT_PATH],
  ['GET', `${TENANT_PATH}/members`],
  ['GET', `${TENANT_PATH}/invitations`],
  ['GET', `${TENANT_PATH}/audit`],
]
const WRITES: Route[] = [
  ['PATCH', TENANT_PATH, { name: 'Taken over', settings: { taken: true } }],
  ['PATCH', `${TENANT_PATH}/members/${member.membershipId}`, { role: 'owner' }],
  ['DELETE', `${TENANT_PATH}/members/${member.membershipId}`],
  ['POST', `${TENANT_PATH}/invitations`, { email: 'stranger@blackbox.test', role: 'owner' }],
  ['POST', `${TENANT_PATH}/invitations/bulk`, { invitations: [{ email: 'stranger@blackbox.test' }] }],
  ['POST', `${TENANT_PATH}/invitations/${invitationId}/resend`],
  ['DELETE', `${TENANT_PATH}/invitations/${invitationId}`],
  ['DELETE', TENANT_PATH],
]
const ROUTES = [...READS, ...WRITES]

const snapshot = async () => ({
  tenant: (await call('GET', TENANT_PATH, owner)).body,
  members: await listMembers(owner.headers, tenant.id),
  invitations: (await call('GET', `${TENANT_PATH}/invitations?status=PENDING`, owner)).body,
})
const UNTOUCHED = await snapshot()

/** Expects that a response reveals nothing about the tenant. */
const SECRETS = [tenant.name, tenant.slug, owner.person.email, member.person.email, guest, owner.userId]

type Headers = Record<string, string>

const asMachine = async (machine: { clientId: string; clientSecret: string }, scope: string) =>
  bearer((await requestMachineToken(machine, { scope })).body.access_token)

async function newSuspendedMember(): Promise<Headers> {
  const own = await newOwnedTenant()
  const { headers, membershipId } = await newMember(own.owner.headers, own.tenant.id, 'owner')
  const path = `/api/tenants/${own.tenant.id}/members/${membershipId}`
  await call('PATCH', path, { headers: own.owner.headers, body: { status: 'SUSPENDED' } })
  return headers
}

describe('a non-member', () => {
  const people: [string, () => Promise<Headers>][] = [
    ['a person without a tenant', async () => (await newCaller()).headers],
    ['an owner of another tenant', async () => (await newOwnedTenant()).owner.headers],
    ['a suspended member of another tenant', newSuspendedMember],
    ['a Super Admin', () => asPerson(demoPerson('admin@latchkey.test'), client)],
  ]

  test.each(people)('%s is refused by every route without further information', async (_, enter) => {
    const headers = await enter()
    for (const [method, path, body] of ROUTES) {
      const response = await call(method, path, { headers, body })
      const code = method === 'DELETE' && path === TENANT_PATH ? 'OWNER_REQUIRED' : 'FORBIDDEN'
      expect(response.status, `${method} ${path}`).toBe(403)
      expect(response.body, `${method} ${path}`).toEqual(errorBody(403, code))
      const said = JSON.stringify([response.body, [...response.headers]])
      for (const secret of SECRETS) expect(said).not.toContain(secret)
    }
    expect(await snapshot()).toEqual(UNTOUCHED)
  })

  test('gets the same response for invalid bodies, queries and ids', async () => {
    const { headers } = await newCaller()
    const wrong: Route[] = [
      ['PATCH', TENANT_PATH, { mfaPolicy: 'X' }],
      ['PATCH', TENANT_PATH, {}],
      ['GET', `${TENANT_PATH}/members?limit=0`],
      ['GET', `${TENANT_PATH}/members?status=X`],
      ['PATCH', `${TENANT_PATH}/members/${randomUUID()}`, { role: 'root' }],
      ['DELETE', `${TENANT_PATH}/members/${randomUUID()}`],
      ['DELETE', `${TENANT_PATH}/members/1`],
      ['POST', `${TENANT_PATH}/invitations`, { email: 'no address' }],
      ['POST', `${TENANT_PATH}/invitations`, { email: owner.person.email }],
      ['POST', `${TENANT_PATH}/invitations/${randomUUID()}/resend`],
    ]
    for (const [method, path, body] of wrong) {
      const response = await call(method, path, { headers, body })
      expect(response.status, `${method} ${path}`).toBe(403)
      expect(response.body).toEqual(errorBody(403, 'FORBIDDEN'))
    }
  })

  test('with an open invitation has no access before acceptance', async () => {
    const own = await newOwnedTenant()
    const invited = await newCaller()
    await invite(own.owner.headers, own.tenant.id, { email: invited.person.email, role: 'owner' })
    for (const path of ['', '/members', '/invitations', '/audit']) {
      const response = await call('GET', `/api/tenants/${own.tenant.id}${path}`, invited)
      expect(response.status, path).toBe(403)
      expect(response.body).toEqual(errorBody(403, 'FORBIDDEN'))
    }
  })
})

describe('a member without the role', () => {
  const ALLOWED = new Set([`GET ${TENANT_PATH}`, `GET ${TENANT_PATH}/members`])

  test('can read the tenant and its members, and nothing else', async () => {
    const other = await newMember(owner.headers, tenant.id)
    for (const [method, path, body] of ROUTES) {
      const response = await call(method, path, { headers: other.headers, body })
      const route = `${method} ${path}`
      expect(response.status, route).toBe(ALLOWED.has(route) ? 200 : 403)
      if (response.status === 403) {
        const code = route === `DELETE ${TENANT_PATH}` ? 'OWNER_REQUIRED' : 'FORBIDDEN'
        expect(response.body, route).toEqual(errorBody(403, code))
      }
    }
    await call('DELETE', `${TENANT_PATH}/members/${other.membershipId}`, other)
    expect(await snapshot()).toEqual(UNTOUCHED)
  })
})

describe('every route of a tenant', () => {
  const OWN: Route[] = [
    ['GET', '/api/tenants'],
    ['POST', '/api/tenants', { name: 'An intruder’s' }],
  ]

  test('refuses missing, invalid and third-party tokens', async () => {
    const forbiddenCallers = await newForbiddenCallers(owner.person)
    for (const [method, path, body] of [...OWN, ...ROUTES]) {
      await expectForbidden(forbiddenCallers, { method, path, body })
    }
    expect(await snapshot()).toEqual(UNTOUCHED)
  })

  test('refuses machines of the tenant and of the instance', async () => {
    const scopes = ['licenses:read', 'licenses:write']
    const bound = await newMachine(await newApplication(), scopes, { tenantId: tenant.id })
    for (const headers of [await asMachine(bound, scopes.join(' ')), await asMachine(OPS, 'admin')]) {
      for (const [method, path, body] of [...OWN, ...ROUTES]) {
        const response = await call(method, path, { headers, body })
        expect(response.status, `${method} ${path}`).toBe(403)
        expect(response.body, `${method} ${path}`).toEqual(errorBody(403, 'FORBIDDEN'))
      }
    }
    expect(await snapshot()).toEqual(UNTOUCHED)
  })

  test('accepts a cookie for a write only from the own origin', async () => {
    const browser = await owner.person.signIn()
    const sites: Headers[] = [
      {},
      { origin: 'https://evil.test' },
      { origin: 'null' },
      { origin: `${ownOrigin}.evil.test` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: ownOrigin, 'sec-fetch-site': 'cross-site' },
    ]
    for (const site of sites) {
      const headers = { ...withCookies(browser), ...site }
      for (const [method, path, body] of [...WRITES, ...OWN.slice(1)]) {
        const response = await call(method, path, { headers, body })
        expect(response.status, `${method} ${path} ${JSON.stringify(site)}`).toBe(403)
        expect(response.body).toEqual(errorBody(403, 'FORBIDDEN'))
      }
    }
    expect(await snapshot()).toEqual(UNTOUCHED)
  })

  test('accepts the cookie of a member like a token', async () => {
    const own = await newOwnedTenant()
    const browser = await own.owner.person.signIn()
    const path = `/api/tenants/${own.tenant.id}`
    expect((await call('GET', path, { headers: withCookies(browser) })).status).toBe(200)
    const headers = fromOwnPage(browser)
    const renamed = await call('PATCH', path, { headers, body: { name: 'By cookie' } })
    expect(renamed).toMatchObject({ status: 200, body: { name: 'By cookie' } })
    expect((await call('POST', '/api/tenants', { headers, body: { name: 'By cookie too' } })).status).toBe(201)
    expect((await call('DELETE', path, { headers })).status).toBe(200)
  })
})

test('an unsupported method is 405', async () => {
  for (const [method, path] of [
    ['PUT', '/api/tenants'],
    ['DELETE', '/api/tenants'],
    ['POST', TENANT_PATH],
    ['PUT', TENANT_PATH],
    ['POST', `${TENANT_PATH}/members`],
    ['GET', `${TENANT_PATH}/members/${member.membershipId}`],
    ['PUT', `${TENANT_PATH}/members/${member.membershipId}`],
  ] as const) {
    const response = await call(method, path, owner)
    expect(response.status, `${method} ${path}`).toBe(405)
    expect(response.body).toEqual(errorBody(405, 'METHOD_NOT_ALLOWED'))
    expect(response.headers.get('allow')).toEqual(expect.any(String))
  }
})
