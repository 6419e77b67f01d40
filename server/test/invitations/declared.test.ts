import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { applyChanges, planChanges } from '../../src/declaration/apply.ts'
import { createSuperAdmin } from '../../src/users/service.ts'
import { call, errorReply, insertUser, logIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, obtainTokens, startDemoService } from '../support/world.ts'
import { type Host, NEW_USER, unusedAddress } from './hosts.ts'
import {
  acceptInvitation,
  createHost,
  findInvitation,
  findUser,
  getInvitation,
  listAuditEntries,
  membershipsOf,
} from './invitation-api.ts'

let service: TestService
let host: Host
beforeAll(async () => {
  service = await startDemoService()
  host = await createHost(service)
})
afterAll(() => service.close())

const declare = async (declaration: Record<string, unknown[]>) =>
  applyChanges(service.ctx, await planChanges(service.ctx, sections, declaration))
const tenantWithMember = (email: string, role: string) => ({
  tenants: [{ slug: host.tenant.slug, name: host.tenant.name, members: [{ email, role }] }],
})

const PASSWORD = 'the secret of the first sign-up'

/** Signs up without verifying the address; returns the headers with a token. */
async function signUp(email: string) {
  const body = { email, password: PASSWORD }
  await call(`${service.url}/api/auth/register`, { method: 'POST', body })
  const response = await logIn(service.url, email, PASSWORD)
  if (response.status !== 200) return undefined
  const { access_token } = await obtainTokens(service.url, cookieOf(response))
  return { authorization: `Bearer ${access_token}` }
}

describe('a declaration that makes an INVITED person a member', () => {
  test('closes the invitation and invalidates its link', async () => {
    const { id: userId, email } = await insertUser(service)
    const { id, token } = await host.invite({ email })
    const [before] = await membershipsOf(service, userId)
    await declare(tenantWithMember(email, 'admin'))
    expect(await membershipsOf(service, userId)).toEqual([{ ...before, role: 'admin', status: 'ACTIVE' }])
    expect(await findInvitation(service, id)).toMatchObject({ status: 'REVOKED' })
    const revoked = errorReply(410, 'INVITATION_REVOKED')
    expect(await getInvitation(service, token)).toMatchObject(revoked)
    expect(await acceptInvitation(service, token, { body: NEW_USER })).toMatchObject(revoked)
    const added = (await listAuditEntries(service, host, 'member.added')).filter((one) => one.user_id === userId)
    expect(added).toHaveLength(1)
  })

  test('is refused for an unverified address', async () => {
    const { email, id } = await host.invite()
    await expect(declare(tenantWithMember(email, 'owner'))).rejects.toThrow(
      `The declaration makes ${email} a member, but there is no such user.`,
    )
    const user = await findUser(service, email)
    expect(await membershipsOf(service, user?.id ?? '')).toMatchObject([{ role: 'member', status: 'INVITED' }])
    expect(await findInvitation(service, id)).toMatchObject({ status: 'PENDING' })
  })
})

describe('a declaration that names an invited address among the users', () => {
  test('creates a user who can sign in and is still INVITED', async () => {
    const { email, id } = await host.invite()
    await declare({ users: [{ email, password: 'a secret by declaration', givenName: 'Dora' }] })
    expect(await findUser(service, email)).toMatchObject({ given_name: 'Dora', email_verified: true })
    expect((await logIn(service.url, email, 'a secret by declaration')).status).toBe(200)
    const user = await findUser(service, email)
    expect(await membershipsOf(service, user?.id ?? '')).toMatchObject([{ status: 'INVITED' }])
    expect(await findInvitation(service, id)).toMatchObject({ status: 'PENDING' })
  })

  test('and among the members creates a member, without an invitation', async () => {
    const { email, id } = await host.invite()
    const users = [{ email, password: 'a secret by declaration' }]
    await declare({ users, ...tenantWithMember(email, 'admin') })
    const user = await findUser(service, email)
    expect(await membershipsOf(service, user?.id ?? '')).toMatchObject([{ role: 'admin', status: 'ACTIVE' }])
    expect(await findInvitation(service, id)).toMatchObject({ status: 'REVOKED' })
  })

  test('as Super Admin grants nothing to a person who only signs up with the address', async () => {
    const { email } = await host.invite()
    await declare({ users: [{ email, superAdmin: true }] })
    await expectNoSuperAdmin(email)
  })
})

test('the first Super Admin can be an invited person, and nobody else becomes one by that', async () => {
  const { email } = await host.invite()
  await createSuperAdmin(service.ctx, email, 'a secret of the first admin')
  expect((await logIn(service.url, email, 'a secret of the first admin')).status).toBe(200)
  await expectNoSuperAdmin(email)
})

describe('an address of an unverified sign-up', () => {
  const OWN = 'a secret by declaration'

  /** Password and token of the first sign-up are refused. */
  async function expectTakenOver(email: string, squatter: Record<string, string>): Promise<void> {
    expect((await logIn(service.url, email, PASSWORD)).status).toBe(401)
    expect((await call(`${service.url}/api/users/me`, { method: 'GET', headers: squatter })).status).toBe(401)
    expect((await logIn(service.url, email, OWN)).status).toBe(200)
  }

  test('becomes a Super Admin for the person whom the operator means', async () => {
    const email = unusedAddress()
    const squatter = (await signUp(email)) ?? {}
    expect(await createSuperAdmin(service.ctx, email, OWN)).toBe('created')
    await expectTakenOver(email, squatter)
  })

  test('is declared as the person whom the operator means, with their password and tenant', async () => {
    const email = unusedAddress()
    const squatter = (await signUp(email)) ?? {}
    await declare({ users: [{ email, password: OWN }], ...tenantWithMember(email, 'admin') })
    await expectTakenOver(email, squatter)
    const user = await findUser(service, email)
    expect(await membershipsOf(service, user?.id ?? '')).toMatchObject([{ role: 'admin', status: 'ACTIVE' }])
  })

  test('does not become a member by declaration alone', async () => {
    const email = unusedAddress()
    await signUp(email)
    await expect(declare(tenantWithMember(email, 'owner'))).rejects.toThrow('there is no such user')
  })
})

async function expectNoSuperAdmin(email: string): Promise<void> {
  const headers = (await signUp(email)) ?? {}
  const url = `${service.url}/api/admin/applications`
  const answer = await call(url, { method: 'POST', headers, body: { name: 'Mine' } })
  expect([401, 403]).toContain(answer.status)
}
