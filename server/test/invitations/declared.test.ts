import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { applyChanges, planChanges } from '../../src/declaration/apply.ts'
import { createSuperAdmin } from '../../src/users/service.ts'
import { addPerson, call, failure, logIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, obtainTokens, startWorld } from '../support/world.ts'
import { accept, entriesIn, findInvitation, findUser, look, membershipsOf, openHouse } from './desk.ts'
import { type Host, NEWCOMER, unusedAddress } from './guests.ts'

let service: TestService
let host: Host
beforeAll(async () => {
  service = await startWorld()
  host = await openHouse(service)
})
afterAll(() => service.close())

const declare = async (declaration: Record<string, unknown[]>) =>
  applyChanges(service.ctx, await planChanges(service.ctx, sections, declaration))
const houseWith = (email: string, role: string) => ({
  tenants: [{ slug: host.tenant.slug, name: host.tenant.name, members: [{ email, role }] }],
})

const PASSWORD = 'the secret of whoever came first'

/** Somebody signs up with an address without showing that it is theirs, and has a token. */
async function signUp(email: string) {
  const body = { email, password: PASSWORD }
  await call(`${service.url}/api/auth/register`, { method: 'POST', body })
  const response = await logIn(service.url, email, PASSWORD)
  if (response.status !== 200) return undefined
  const { access_token } = await obtainTokens(service.url, cookieOf(response))
  return { authorization: `Bearer ${access_token}` }
}

describe('a declaration that makes an INVITED person a member', () => {
  test('settles the invitation, and its link is dead', async () => {
    const { id: userId, email } = await addPerson(service)
    const { id, token } = await host.invite({ email })
    const [before] = await membershipsOf(service, userId)
    await declare(houseWith(email, 'admin'))
    expect(await membershipsOf(service, userId)).toEqual([{ ...before, role: 'admin', status: 'ACTIVE' }])
    expect(await findInvitation(service, id)).toMatchObject({ status: 'REVOKED' })
    const revoked = failure(410, 'INVITATION_REVOKED')
    expect(await look(service, token)).toMatchObject(revoked)
    expect(await accept(service, token, { body: NEWCOMER })).toMatchObject(revoked)
    const added = (await entriesIn(service, host, 'member.added')).filter((one) => one.user_id === userId)
    expect(added).toHaveLength(1)
  })

  test('is refused for an address that nobody has shown to be theirs', async () => {
    const { email, id } = await host.invite()
    await expect(declare(houseWith(email, 'owner'))).rejects.toThrow(
      `The declaration makes ${email} a member, but there is no such user.`,
    )
    const user = await findUser(service, email)
    expect(await membershipsOf(service, user?.id ?? '')).toMatchObject([
      { role: 'member', status: 'INVITED' },
    ])
    expect(await findInvitation(service, id)).toMatchObject({ status: 'PENDING' })
  })
})

describe('a declaration that names an invited address among the users', () => {
  test('makes it a person who signs in, and is still INVITED', async () => {
    const { email, id } = await host.invite()
    await declare({ users: [{ email, password: 'a secret by declaration', givenName: 'Dora' }] })
    expect(await findUser(service, email)).toMatchObject({ given_name: 'Dora', email_verified: true })
    expect((await logIn(service.url, email, 'a secret by declaration')).status).toBe(200)
    const user = await findUser(service, email)
    expect(await membershipsOf(service, user?.id ?? '')).toMatchObject([{ status: 'INVITED' }])
    expect(await findInvitation(service, id)).toMatchObject({ status: 'PENDING' })
  })

  test('and among the members makes it a member, without an invitation', async () => {
    const { email, id } = await host.invite()
    const users = [{ email, password: 'a secret by declaration' }]
    await declare({ users, ...houseWith(email, 'admin') })
    const user = await findUser(service, email)
    expect(await membershipsOf(service, user?.id ?? '')).toMatchObject([{ role: 'admin', status: 'ACTIVE' }])
    expect(await findInvitation(service, id)).toMatchObject({ status: 'REVOKED' })
  })

  test('as Super Admin makes nobody one who only signs up with the address', async () => {
    const { email } = await host.invite()
    await declare({ users: [{ email, superAdmin: true }] })
    await expectNoSuperAdmin(email)
  })
})

test('the first Super Admin may be somebody who was invited, and nobody else becomes one by that', async () => {
  const { email } = await host.invite()
  await createSuperAdmin(service.ctx, email, 'a secret of the first admin')
  expect((await logIn(service.url, email, 'a secret of the first admin')).status).toBe(200)
  await expectNoSuperAdmin(email)
})

describe('an address that somebody signed up with and never proved', () => {
  const OWN = 'a secret by declaration'

  /** Nobody gets in any more with what they knew. */
  async function expectTurnedOut(email: string, squatter: Record<string, string>): Promise<void> {
    expect((await logIn(service.url, email, PASSWORD)).status).toBe(401)
    expect((await call(`${service.url}/api/users/me`, { method: 'GET', headers: squatter })).status).toBe(401)
    expect((await logIn(service.url, email, OWN)).status).toBe(200)
  }

  test('is made a Super Admin for whom the operator meant', async () => {
    const email = unusedAddress()
    const squatter = (await signUp(email)) ?? {}
    expect(await createSuperAdmin(service.ctx, email, OWN)).toBe('created')
    await expectTurnedOut(email, squatter)
  })

  test('is declared as who the operator meant, with their password and their tenant', async () => {
    const email = unusedAddress()
    const squatter = (await signUp(email)) ?? {}
    await declare({ users: [{ email, password: OWN }], ...houseWith(email, 'admin') })
    await expectTurnedOut(email, squatter)
    const user = await findUser(service, email)
    expect(await membershipsOf(service, user?.id ?? '')).toMatchObject([{ role: 'admin', status: 'ACTIVE' }])
  })

  test('is no member by declaration alone', async () => {
    const email = unusedAddress()
    await signUp(email)
    await expect(declare(houseWith(email, 'owner'))).rejects.toThrow('there is no such user')
  })
})

async function expectNoSuperAdmin(email: string): Promise<void> {
  const headers = (await signUp(email)) ?? {}
  const door = `${service.url}/api/admin/applications`
  const answer = await call(door, { method: 'POST', headers, body: { name: 'Mine' } })
  expect([401, 403]).toContain(answer.status)
}
