import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSignedInUser, type TestUser } from '../../account/people.ts'
import { getMachineToken } from '../../licensing/licensed-tenant.ts'
import type { TestService } from '../../support/service.ts'
import {
  authorize,
  claimsOf,
  exchange,
  introspect,
  obtainTokens,
  refresh,
  startDemoService,
  token,
  userinfo,
} from '../../support/world.ts'
import { insertMembership, insertTenant } from '../tenant-rows.ts'
import { createFixture, type Fixture, setSuspended } from './fixture.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service?.close())

const suspend = ({ firm }: Pick<Fixture, 'firm'>) => setSuspended(service, firm.company, true)
const reactivate = ({ firm }: Pick<Fixture, 'firm'>) => setSuspended(service, firm.company, false)
const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } }

const requestMachineToken = ({ machine }: Fixture['firm'], secret = machine.clientSecret) =>
  token(url, { grant_type: 'client_credentials', client_id: machine.clientId, client_secret: secret })

const checkLicense = async ({ firm, worker }: Fixture, accessToken: string): Promise<number> => {
  const query = new URLSearchParams({ userId: worker.id, applicationId: firm.applicationId })
  const headers = { authorization: `Bearer ${accessToken}` }
  return (await fetch(`${url}/api/integration/licenses/check?${query}`, { headers })).status
}

describe('for a suspended tenant', () => {
  test('no code is issued, and only members learn the reason', async () => {
    const fixture = await createFixture(service)
    const { company } = fixture.firm
    await suspend(fixture)
    const requestCode = async ({ cookie }: TestUser) => (await authorize(url, cookie, { tenant: company.slug })).answer
    const refused = { error: 'access_denied', state: 'st', iss: url }
    for (const member of [fixture.owner, fixture.admin, fixture.member]) {
      expect(await requestCode(member)).toEqual({
        ...refused,
        error_description: 'This tenant is suspended.',
      })
    }
    const nonMember = await createSignedInUser(service)
    const suspendedMember = await createSignedInUser(service)
    await insertMembership(service, company, suspendedMember, { status: 'SUSPENDED' })
    for (const user of [nonMember, suspendedMember]) {
      expect(await requestCode(user)).toEqual({
        ...refused,
        error_description: 'The user is not an active member of this tenant.',
      })
    }
  })

  test('an earlier code or refresh token is refused, and works after the suspension', async () => {
    const fixture = await createFixture(service)
    const { answer } = await authorize(url, fixture.member.cookie, { tenant: fixture.firm.company.slug })
    await suspend(fixture)
    for (let round = 0; round < 2; round++) {
      expect(await exchange(url, answer.code)).toMatchObject(INVALID_GRANT)
      expect(await refresh(url, fixture.tokens.refresh_token)).toMatchObject(INVALID_GRANT)
    }
    await reactivate(fixture)
    expect((await exchange(url, answer.code)).status).toBe(200)
    expect((await refresh(url, fixture.tokens.refresh_token)).status).toBe(200)
  })

  test('a refresh cannot switch to it, but can switch from it to another tenant', async () => {
    const fixture = await createFixture(service)
    const { member, firm, tokens } = fixture
    const other = await insertTenant(service)
    await insertMembership(service, other, member)
    const { refresh_token } = await obtainTokens(url, member.cookie, { tenant: other.slug })
    await suspend(fixture)
    expect(await refresh(url, refresh_token, { tenant: firm.company.slug })).toMatchObject(INVALID_GRANT)
    const switched = await refresh(url, tokens.refresh_token, { tenant: other.slug })
    expect(claimsOf(switched.body.access_token)).toMatchObject({ tenant_id: other.id })
  })

  test('its machineToken get no token, learn the reason only with the correct secret, and cannot introspect', async () => {
    const fixture = await createFixture(service)
    const { machine } = fixture.firm
    await suspend(fixture)
    expect(await requestMachineToken(fixture.firm)).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client', error_description: 'The tenant of this client is suspended.' },
    })
    expect(await requestMachineToken(fixture.firm, 'a wrong secret')).toMatchObject({
      status: 400,
      body: { error: 'invalid_client' },
    })
    const introspection = await fetch(`${url}/api/oauth/introspect`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${machine.clientId}:${machine.clientSecret}`)}` },
      body: new URLSearchParams({ token: fixture.tokens.access_token }),
    })
    expect(introspection.status).toBe(401)
  })

  test('all its tokens are refused, but not those of other tenants or without a tenant', async () => {
    const fixture = await createFixture(service)
    const { member, tokens, firm } = fixture
    const other = await insertTenant(service)
    await insertMembership(service, other, member)
    const otherTokens = await obtainTokens(url, member.cookie, { tenant: other.slug })
    const machineToken = await getMachineToken(firm)
    expect([await userinfo(url, tokens.access_token), await checkLicense(fixture, machineToken)]).toEqual([200, 200])
    await suspend(fixture)
    expect(await userinfo(url, tokens.access_token)).toBe(401)
    for (const token of [tokens.access_token, machineToken]) expect(await checkLicense(fixture, token)).toBe(401)
    for (const token of [tokens.access_token, tokens.refresh_token, machineToken]) {
      expect(await introspect(url, token)).toEqual({ active: false })
    }
    for (const { access_token } of [otherTokens, member.tokens]) expect(await userinfo(url, access_token)).toBe(200)
  })
})

describe('a member of a suspended tenant', () => {
  test('without another tenant gets tokens without a tenant', async () => {
    const fixture = await createFixture(service)
    await suspend(fixture)
    const { access_token } = await obtainTokens(url, fixture.member.cookie)
    expect(claimsOf(access_token)).not.toHaveProperty('tenant_id')
    expect(await userinfo(url, access_token)).toBe(200)
  })

  test('with one other tenant does not have to choose, also with prompt=none', async () => {
    const fixture = await createFixture(service)
    const other = await insertTenant(service)
    await insertMembership(service, other, fixture.member)
    const silently = async () => (await authorize(url, fixture.member.cookie, { prompt: 'none' })).answer.error
    expect(await silently()).toBe('interaction_required')
    await suspend(fixture)
    expect(await silently()).toBe(undefined)
    const { access_token } = await obtainTokens(url, fixture.member.cookie)
    expect(claimsOf(access_token)).toMatchObject({ tenant_id: other.id })
  })

  test('with two other tenants chooses between these two', async () => {
    const fixture = await createFixture(service)
    for (const other of [await insertTenant(service), await insertTenant(service)]) {
      await insertMembership(service, other, fixture.member)
    }
    await suspend(fixture)
    const page = await (await authorize(url, fixture.member.cookie)).response.text()
    expect(page).toContain('Choose an organization')
    expect(page).not.toContain(fixture.firm.company.name)
  })

  test('sees it in the list of tenants, marked as suspended', async () => {
    const fixture = await createFixture(service)
    const listTenants = async () => (await fixture.member.call('GET', '/api/tenants')).body.tenants
    const { id, name, slug } = fixture.firm.company
    const entry = { id, name, slug, role: 'member', memberCount: 4, createdAt: expect.any(String) }
    expect(await listTenants()).toEqual([entry])
    await suspend(fixture)
    expect(await listTenants()).toEqual([{ ...entry, suspended: true }])
    await reactivate(fixture)
    expect(await listTenants()).toEqual([entry])
  })
})

describe('after a suspension', () => {
  test('earlier access tokens stay refused, and a refresh gets new ones without signing in', async () => {
    const fixture = await createFixture(service)
    const { firm, tokens, owner } = fixture
    const machineToken = await getMachineToken(firm)
    await suspend(fixture)
    service.advance(2_000)
    await reactivate(fixture)
    expect(await userinfo(url, tokens.access_token)).toBe(401)
    expect(await introspect(url, tokens.access_token)).toEqual({ active: false })
    expect(await checkLicense(fixture, machineToken)).toBe(401)
    const { status, body } = await refresh(url, tokens.refresh_token)
    expect(status).toBe(200)
    expect(await userinfo(url, body.access_token)).toBe(200)
    expect(await checkLicense(fixture, await getMachineToken(firm))).toBe(200)
    expect((await owner.call('GET', `/api/tenants/${firm.company.id}`)).status).toBe(200)
  })

  test('the tenant can be suspended and reactivated repeatedly', async () => {
    const fixture = await createFixture(service)
    for (let round = 0; round < 3; round++) {
      await suspend(fixture)
      expect(await requestMachineToken(fixture.firm)).toMatchObject({
        body: { error: 'unauthorized_client' },
      })
      await reactivate(fixture)
      expect(await requestMachineToken(fixture.firm)).toMatchObject({ status: 200 })
    }
  })
})
