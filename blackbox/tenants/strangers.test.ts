import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { newApplication, newMachine, OPS } from '../support/admin.ts'
import {
  asPerson,
  call,
  expectClosed,
  fromOwnPage,
  intruders,
  ownOrigin,
  refusal,
  withCookies,
} from '../support/calls.ts'
import { askMachineToken, bearer } from '../support/oauth.ts'
import { demoPerson } from '../support/person.ts'
import { unique } from '../support/service.ts'
import { invite, listMembers, newInsider, newMember, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant(unique('Secret name'))
const member = await newMember(owner.headers, tenant.id)
const guest = `${unique('someone')}@blackbox.test`
const invitationId = await invite(owner.headers, tenant.id, { email: guest })
const HOME = `/api/tenants/${tenant.id}`

type Door = [method: string, path: string, body?: object]

const READS: Door[] = [
  ['GET', HOME],
  ['GET', `${HOME}/members`],
  ['GET', `${HOME}/invitations`],
  ['GET', `${HOME}/audit`],
]
const WRITES: Door[] = [
  ['PATCH', HOME, { name: 'Taken over', settings: { taken: true } }],
  ['PATCH', `${HOME}/members/${member.membershipId}`, { role: 'owner' }],
  ['DELETE', `${HOME}/members/${member.membershipId}`],
  ['POST', `${HOME}/invitations`, { email: 'stranger@blackbox.test', role: 'owner' }],
  ['POST', `${HOME}/invitations/bulk`, { invitations: [{ email: 'stranger@blackbox.test' }] }],
  ['POST', `${HOME}/invitations/${invitationId}/resend`],
  ['DELETE', `${HOME}/invitations/${invitationId}`],
  ['DELETE', HOME],
]
const DOORS = [...READS, ...WRITES]

const snapshot = async () => ({
  tenant: (await call('GET', HOME, owner)).body,
  members: await listMembers(owner.headers, tenant.id),
  invitations: (await call('GET', `${HOME}/invitations?status=PENDING`, owner)).body,
})
const UNTOUCHED = await snapshot()

/** Nothing that could tell anybody what is behind the door. */
const SECRETS = [tenant.name, tenant.slug, owner.person.email, member.person.email, guest, owner.userId]

type Headers = Record<string, string>

const asMachine = async (machine: { clientId: string; clientSecret: string }, scope: string) =>
  bearer((await askMachineToken(machine, { scope })).body.access_token)

async function newSuspended(): Promise<Headers> {
  const own = await newOwnedTenant()
  const { headers, membershipId } = await newMember(own.owner.headers, own.tenant.id, 'owner')
  const path = `/api/tenants/${own.tenant.id}/members/${membershipId}`
  await call('PATCH', path, { headers: own.owner.headers, body: { status: 'SUSPENDED' } })
  return headers
}

describe('somebody who is no member', () => {
  const people: [string, () => Promise<Headers>][] = [
    ['without any tenant', async () => (await newInsider()).headers],
    ['who owns another tenant', async () => (await newOwnedTenant()).owner.headers],
    ['who is suspended elsewhere', newSuspended],
    ['who runs the whole instance', () => asPerson(demoPerson('admin@latchkey.test'), client)],
  ]

  test.each(people)('%s is turned away at every door, and learns nothing', async (_, enter) => {
    const headers = await enter()
    for (const [method, path, body] of DOORS) {
      const answer = await call(method, path, { headers, body })
      const code = method === 'DELETE' && path === HOME ? 'OWNER_REQUIRED' : 'FORBIDDEN'
      expect(answer.status, `${method} ${path}`).toBe(403)
      expect(answer.body, `${method} ${path}`).toEqual(refusal(403, code))
      const said = JSON.stringify([answer.body, [...answer.headers]])
      for (const secret of SECRETS) expect(said).not.toContain(secret)
    }
    expect(await snapshot()).toEqual(UNTOUCHED)
  })

  test('hears the same of a body and a query that are wrong, and of ids within that nobody has', async () => {
    const { headers } = await newInsider()
    const wrong: Door[] = [
      ['PATCH', HOME, { mfaPolicy: 'X' }],
      ['PATCH', HOME, {}],
      ['GET', `${HOME}/members?limit=0`],
      ['GET', `${HOME}/members?status=X`],
      ['PATCH', `${HOME}/members/${randomUUID()}`, { role: 'root' }],
      ['DELETE', `${HOME}/members/${randomUUID()}`],
      ['DELETE', `${HOME}/members/1`],
      ['POST', `${HOME}/invitations`, { email: 'no address' }],
      ['POST', `${HOME}/invitations`, { email: owner.person.email }],
      ['POST', `${HOME}/invitations/${randomUUID()}/resend`],
    ]
    for (const [method, path, body] of wrong) {
      const answer = await call(method, path, { headers, body })
      expect(answer.status, `${method} ${path}`).toBe(403)
      expect(answer.body).toEqual(refusal(403, 'FORBIDDEN'))
    }
  })

  test('who is invited has no place before they accept', async () => {
    const own = await newOwnedTenant()
    const invited = await newInsider()
    await invite(own.owner.headers, own.tenant.id, { email: invited.person.email, role: 'owner' })
    for (const path of ['', '/members', '/invitations', '/audit']) {
      const answer = await call('GET', `/api/tenants/${own.tenant.id}${path}`, invited)
      expect(answer.status, path).toBe(403)
      expect(answer.body).toEqual(refusal(403, 'FORBIDDEN'))
    }
  })
})

describe('a member without the role', () => {
  const ALLOWED = new Set([`GET ${HOME}`, `GET ${HOME}/members`])

  test('reads the tenant and its members, and nothing else', async () => {
    const other = await newMember(owner.headers, tenant.id)
    for (const [method, path, body] of DOORS) {
      const answer = await call(method, path, { headers: other.headers, body })
      const door = `${method} ${path}`
      expect(answer.status, door).toBe(ALLOWED.has(door) ? 200 : 403)
      if (answer.status === 403) {
        const code = door === `DELETE ${HOME}` ? 'OWNER_REQUIRED' : 'FORBIDDEN'
        expect(answer.body, door).toEqual(refusal(403, code))
      }
    }
    await call('DELETE', `${HOME}/members/${other.membershipId}`, other)
    expect(await snapshot()).toEqual(UNTOUCHED)
  })
})

describe('every door of a tenant', () => {
  const OWN: Door[] = [
    ['GET', '/api/tenants'],
    ['POST', '/api/tenants', { name: 'An intruder’s' }],
  ]

  test('is closed to whoever shows nothing, something dead, or the token of somebody else', async () => {
    const strangers = await intruders(owner.person)
    for (const [method, path, body] of [...OWN, ...DOORS]) {
      await expectClosed(strangers, { method, path, body })
    }
    expect(await snapshot()).toEqual(UNTOUCHED)
  })

  test('is closed to machines, those bound to the tenant and those that run the instance', async () => {
    const scopes = ['licenses:read', 'licenses:write']
    const bound = await newMachine(await newApplication(), scopes, { tenantId: tenant.id })
    for (const headers of [await asMachine(bound, scopes.join(' ')), await asMachine(OPS, 'admin')]) {
      for (const [method, path, body] of [...OWN, ...DOORS]) {
        const answer = await call(method, path, { headers, body })
        expect(answer.status, `${method} ${path}`).toBe(403)
        expect(answer.body, `${method} ${path}`).toEqual(refusal(403, 'FORBIDDEN'))
      }
    }
    expect(await snapshot()).toEqual(UNTOUCHED)
  })

  test('that changes something opens to a cookie only from our own pages', async () => {
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
        const answer = await call(method, path, { headers, body })
        expect(answer.status, `${method} ${path} ${JSON.stringify(site)}`).toBe(403)
        expect(answer.body).toEqual(refusal(403, 'FORBIDDEN'))
      }
    }
    expect(await snapshot()).toEqual(UNTOUCHED)
  })

  test('opens to the cookie of who belongs there, as to their token', async () => {
    const own = await newOwnedTenant()
    const browser = await own.owner.person.signIn()
    const path = `/api/tenants/${own.tenant.id}`
    expect((await call('GET', path, { headers: withCookies(browser) })).status).toBe(200)
    const headers = fromOwnPage(browser)
    const renamed = await call('PATCH', path, { headers, body: { name: 'By cookie' } })
    expect(renamed).toMatchObject({ status: 200, body: { name: 'By cookie' } })
    expect((await call('POST', '/api/tenants', { headers, body: { name: 'By cookie too' } })).status).toBe(
      201,
    )
    expect((await call('DELETE', path, { headers })).status).toBe(200)
  })
})

test('a method that a door does not know is refused as such', async () => {
  for (const [method, path] of [
    ['PUT', '/api/tenants'],
    ['DELETE', '/api/tenants'],
    ['POST', HOME],
    ['PUT', HOME],
    ['POST', `${HOME}/members`],
    ['GET', `${HOME}/members/${member.membershipId}`],
    ['PUT', `${HOME}/members/${member.membershipId}`],
  ] as const) {
    const answer = await call(method, path, owner)
    expect(answer.status, `${method} ${path}`).toBe(405)
    expect(answer.body).toEqual(refusal(405, 'METHOD_NOT_ALLOWED'))
    expect(answer.headers.get('allow')).toEqual(expect.any(String))
  }
})
