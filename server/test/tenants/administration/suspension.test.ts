import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { surface } from '../../../src/app.ts'
import { loadConfig } from '../../../src/config.ts'
import { explain } from '../../../src/licensing/explain/service.ts'
import { findLicense } from '../../../src/licensing/licenses.ts'
import { addPerson, call, failure, mailTo, newSomebody, type Somebody } from '../../account/people.ts'
import { callAsOps, check, mustBe, renew, rowsOf, tokenOf } from '../../licensing/firm.ts'
import type { TestService } from '../../support/service.ts'
import {
  authorize,
  claimsOf,
  exchange,
  introspect,
  obtainTokens,
  refresh,
  startWorld,
  token,
  userinfo,
} from '../../support/world.ts'
import { employ, inviteTo, newCompany } from '../company.ts'
import { newScene, type Scene, setSuspended } from './scene.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startWorld()
  url = service.url
})
afterAll(() => service?.close())

const suspend = ({ firm }: Pick<Scene, 'firm'>) => setSuspended(service, firm.company, true)
const reactivate = ({ firm }: Pick<Scene, 'firm'>) => setSuspended(service, firm.company, false)
const SUSPENDED = failure(403, 'TENANT_SUSPENDED')
const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } }

const askMachine = ({ machine }: Scene['firm'], secret = machine.clientSecret) =>
  token(url, { grant_type: 'client_credentials', client_id: machine.clientId, client_secret: secret })

const checkWith = async ({ firm, worker }: Scene, accessToken: string): Promise<number> => {
  const query = new URLSearchParams({ userId: worker.id, applicationId: firm.applicationId })
  const headers = { authorization: `Bearer ${accessToken}` }
  return (await fetch(`${url}/api/integration/licenses/check?${query}`, { headers })).status
}

describe('for a suspended tenant', () => {
  test('nobody is given a code, and who is a member is told why', async () => {
    const scene = await newScene(service)
    const { company } = scene.firm
    await suspend(scene)
    const ask = async ({ cookie }: Somebody) =>
      (await authorize(url, cookie, { tenant: company.slug })).answer
    const refused = { error: 'access_denied', state: 'st', iss: url }
    for (const insider of [scene.owner, scene.admin, scene.member]) {
      expect(await ask(insider)).toEqual({ ...refused, error_description: 'This tenant is suspended.' })
    }
    const outsider = await newSomebody(service)
    const suspendedMember = await newSomebody(service)
    await employ(service, company, suspendedMember, { status: 'SUSPENDED' })
    for (const stranger of [outsider, suspendedMember]) {
      expect(await ask(stranger)).toEqual({
        ...refused,
        error_description: 'The person is no active member of this tenant.',
      })
    }
  })

  test('a code or refresh token from before yields nothing, and stays good for later', async () => {
    const scene = await newScene(service)
    const { answer } = await authorize(url, scene.member.cookie, { tenant: scene.firm.company.slug })
    await suspend(scene)
    for (let round = 0; round < 2; round++) {
      expect(await exchange(url, answer.code)).toMatchObject(INVALID_GRANT)
      expect(await refresh(url, scene.tokens.refresh_token)).toMatchObject(INVALID_GRANT)
    }
    await reactivate(scene)
    expect((await exchange(url, answer.code)).status).toBe(200)
    expect((await refresh(url, scene.tokens.refresh_token)).status).toBe(200)
  })

  test('no refresh switches to it, and from it one may switch away', async () => {
    const scene = await newScene(service)
    const { member, firm, tokens } = scene
    const other = await newCompany(service)
    await employ(service, other, member)
    const { refresh_token } = await obtainTokens(url, member.cookie, { tenant: other.slug })
    await suspend(scene)
    expect(await refresh(url, refresh_token, { tenant: firm.company.slug })).toMatchObject(INVALID_GRANT)
    const switched = await refresh(url, tokens.refresh_token, { tenant: other.slug })
    expect(claimsOf(switched.body.access_token)).toMatchObject({ tenant_id: other.id })
  })

  test('its machines get no token, are told why once they have shown their secret, and look at none', async () => {
    const scene = await newScene(service)
    const { machine } = scene.firm
    await suspend(scene)
    expect(await askMachine(scene.firm)).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client', error_description: 'The tenant of this client is suspended.' },
    })
    expect(await askMachine(scene.firm, 'a wrong secret')).toMatchObject({
      status: 400,
      body: { error: 'invalid_client' },
    })
    const looked = await fetch(`${url}/api/oauth/introspect`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${machine.clientId}:${machine.clientSecret}`)}` },
      body: new URLSearchParams({ token: scene.tokens.access_token }),
    })
    expect(looked.status).toBe(401)
  })

  test('every token is dead, and none of another tenant or of no tenant', async () => {
    const scene = await newScene(service)
    const { member, tokens, firm } = scene
    const other = await newCompany(service)
    await employ(service, other, member)
    const others = await obtainTokens(url, member.cookie, { tenant: other.slug })
    const machines = await tokenOf(firm)
    expect([await userinfo(url, tokens.access_token), await checkWith(scene, machines)]).toEqual([200, 200])
    await suspend(scene)
    expect(await userinfo(url, tokens.access_token)).toBe(401)
    for (const dead of [tokens.access_token, machines]) expect(await checkWith(scene, dead)).toBe(401)
    for (const dead of [tokens.access_token, tokens.refresh_token, machines]) {
      expect(await introspect(url, dead)).toEqual({ active: false })
    }
    for (const { access_token } of [others, member.tokens])
      expect(await userinfo(url, access_token)).toBe(200)
  })
})

describe('who has a suspended tenant', () => {
  test('and no other gets tokens without a tenant', async () => {
    const scene = await newScene(service)
    await suspend(scene)
    const { access_token } = await obtainTokens(url, scene.member.cookie)
    expect(claimsOf(access_token)).not.toHaveProperty('tenant_id')
    expect(await userinfo(url, access_token)).toBe(200)
  })

  test('and one other is not asked to choose, also silently', async () => {
    const scene = await newScene(service)
    const other = await newCompany(service)
    await employ(service, other, scene.member)
    const silently = async () => (await authorize(url, scene.member.cookie, { prompt: 'none' })).answer.error
    expect(await silently()).toBe('interaction_required')
    await suspend(scene)
    expect(await silently()).toBe(undefined)
    const { access_token } = await obtainTokens(url, scene.member.cookie)
    expect(claimsOf(access_token)).toMatchObject({ tenant_id: other.id })
  })

  test('and two others chooses between these', async () => {
    const scene = await newScene(service)
    for (const other of [await newCompany(service), await newCompany(service)]) {
      await employ(service, other, scene.member)
    }
    await suspend(scene)
    const page = await (await authorize(url, scene.member.cookie)).response.text()
    expect(page).toContain('Choose an organisation')
    expect(page).not.toContain(scene.firm.company.name)
  })

  test('still sees it among their own, and that it is suspended', async () => {
    const scene = await newScene(service)
    const own = async () => (await scene.member.call('GET', '/api/tenants')).body.tenants
    const { id, name, slug } = scene.firm.company
    const entry = { id, name, slug, role: 'member', memberCount: 4, createdAt: expect.any(String) }
    expect(await own()).toEqual([entry])
    await suspend(scene)
    expect(await own()).toEqual([{ ...entry, suspended: true }])
    await reactivate(scene)
    expect(await own()).toEqual([entry])
  })
})

describe('the doors of a suspended tenant', () => {
  const doors = surface(loadConfig('demo', {})).routes.filter(({ caller }) => caller === 'member')
  const knock = (
    somebody: Somebody,
    { method, path }: (typeof doors)[number],
    ids: Record<string, string>,
  ) => {
    const address = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? 'unknown')
    const headers = { authorization: `Bearer ${somebody.tokens.access_token}` }
    return call(url + address, { method, headers, ...(method === 'GET' ? {} : { body: {} }) })
  }

  test('are closed to every ACTIVE member, who is told why, and to others as before', async () => {
    const scene = await newScene(service)
    const { company } = scene.firm
    const [invited, resting, outsider] = [
      await newSomebody(service),
      await newSomebody(service),
      await newSomebody(service),
    ]
    const { id: invitationId } = await inviteTo(service, company, { person: invited })
    await employ(service, company, resting, { role: 'owner', status: 'SUSPENDED' })
    const membershipId = await employ(service, company, await addPerson(service))
    const ids = { id: company.id, membershipId, invitationId }
    const strangers = [invited, resting, outsider]
    const hear = (who: Somebody[]) =>
      Promise.all(who.flatMap((one) => doors.map(async (door) => (await knock(one, door, ids)).body.error)))
    const before = await hear(strangers)
    expect([...new Set(before)].sort()).toEqual(['FORBIDDEN', 'OWNER_REQUIRED'])
    await suspend(scene)
    for (const insider of [scene.owner, scene.admin, scene.member]) {
      for (const door of doors) expect(await knock(insider, door, ids), door.path).toMatchObject(SUSPENDED)
    }
    expect(await hear(strangers)).toEqual(before)
  })

  test('let nobody in who brings a key of before either', async () => {
    const scene = await newScene(service)
    const ask = () =>
      call(`${url}/api/tenants/${scene.firm.company.id}/invitations`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${scene.owner.tokens.access_token}`,
          'Idempotency-Key': 'the same key',
        },
        body: { email: 'guest@people.test' },
      })
    expect((await ask()).status).toBe(201)
    await suspend(scene)
    expect(await ask()).toMatchObject(SUSPENDED)
  })
})

test('what the tenant has stays as it is, and operators may still sell to it', async () => {
  const scene = await newScene(service)
  const { firm, worker } = scene
  const before = await rowsOf(firm)
  await suspend(scene)
  expect(await rowsOf(firm)).toEqual(before)
  await mustBe(200, renew(firm, { quantityPurchased: 9 }))
  await reactivate(scene)
  expect(await rowsOf(firm)).toEqual(before)
  expect(await check(firm, worker)).toMatchObject({ hasLicense: true, licenseType: 'pro' })
})

test('within the house nobody of it holds a licence, and the explanation is that', async () => {
  const scene = await newScene(service)
  const { firm, worker } = scene
  const { ctx } = service
  const question = { tenantId: firm.company.id, userId: worker.id, applicationId: firm.applicationId }
  expect(await findLicense(ctx, question)).toMatchObject({ type: 'pro' })
  expect(await explain(ctx, question, undefined)).toMatchObject({ hasLicense: true, decidedBy: 'SEAT' })
  await suspend(scene)
  expect(await findLicense(ctx, question)).toBe(undefined)
  const told = await explain(ctx, question, undefined)
  const path = `/api/admin/tenants/${firm.company.id}`
  expect(told).toMatchObject({
    hasLicense: false,
    decidedBy: 'TENANT',
    message: 'The tenant is suspended.',
    remedy: { method: 'PATCH', path, body: { suspended: false } },
  })
  expect(told.steps.map((step) => step.check)).toEqual([
    ...['TENANT', 'USER', 'MEMBERSHIP', 'MFA_POLICY', 'SUBSCRIPTION', 'SEAT'],
  ])
  await mustBe(200, callAsOps(service, 'PATCH', path, told.remedy?.body))
  expect(await explain(ctx, question, undefined)).toMatchObject({ hasLicense: true })
})

describe('after a suspension', () => {
  test('access tokens from before it stay dead, and fresh ones are to be had without signing in', async () => {
    const scene = await newScene(service)
    const { firm, tokens, owner } = scene
    const machines = await tokenOf(firm)
    await suspend(scene)
    service.advance(2_000)
    await reactivate(scene)
    expect(await userinfo(url, tokens.access_token)).toBe(401)
    expect(await introspect(url, tokens.access_token)).toEqual({ active: false })
    expect(await checkWith(scene, machines)).toBe(401)
    const { status, body } = await refresh(url, tokens.refresh_token)
    expect(status).toBe(200)
    expect(await userinfo(url, body.access_token)).toBe(200)
    expect(await checkWith(scene, await tokenOf(firm))).toBe(200)
    expect((await owner.call('GET', `/api/tenants/${firm.company.id}`)).status).toBe(200)
  })

  test('the second begins where the first did', async () => {
    const scene = await newScene(service)
    for (let round = 0; round < 3; round++) {
      await suspend(scene)
      expect(await askMachine(scene.firm)).toMatchObject({ body: { error: 'unauthorized_client' } })
      await reactivate(scene)
      expect(await askMachine(scene.firm)).toMatchObject({ status: 200 })
    }
  })
})

describe('of a suspension', () => {
  test('owners and admins are told by mail, once, and of its end', async () => {
    const scene = await newScene(service)
    const { owner, admin, member, firm } = scene
    const gone = await addPerson(service, { disabled: true })
    await employ(service, firm.company, gone, { role: 'owner' })
    const subjects = async ({ email }: { email: string }) =>
      (await mailTo(service, email))
        .map(({ subject }) => subject)
        .filter((text) => text.includes('suspended'))
    for (let round = 0; round < 2; round++) await suspend(scene)
    const name = `"${firm.company.name}"`
    for (const told of [owner, admin]) expect(await subjects(told)).toEqual([`${name} is suspended`])
    for (let round = 0; round < 2; round++) await reactivate(scene)
    for (const told of [owner, admin]) {
      expect(await subjects(told)).toEqual([`${name} is not suspended any more`, `${name} is suspended`])
    }
    for (const untold of [member, gone]) expect(await subjects(untold)).toEqual([])
  })

  test('the log tells who began and ended it, once', async () => {
    const scene = await newScene(service)
    for (let round = 0; round < 2; round++) await suspend(scene)
    for (let round = 0; round < 2; round++) await reactivate(scene)
    const entries = await service.ctx.db
      .selectFrom('audit_entries')
      .select(['action', 'actor_kind', 'actor_id', 'details'])
      .where('tenant_id', '=', scene.firm.company.id)
      .where('action', 'like', 'tenant.%')
      .orderBy('id')
      .execute()
    const by = { actor_kind: 'client', actor_id: 'demo-ops' }
    const state = (suspended: boolean) => ({ before: { suspended: !suspended }, after: { suspended } })
    expect(entries).toEqual([
      { ...by, action: 'tenant.suspended', details: state(true) },
      { ...by, action: 'tenant.reactivated', details: state(false) },
    ])
  })
})
