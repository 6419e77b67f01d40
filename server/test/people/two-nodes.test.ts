import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../account/people.ts'
import {
  addTenantMember,
  check,
  createLicensedTenant,
  getSeatSummary,
  grant,
  type LicensedTenant,
  NO_LICENSE,
  onNode,
  requireStatus,
} from '../licensing/licensed-tenant.ts'
import { startService, type TestService } from '../support/service.ts'
import { withoutChangeFeed } from '../support/without-change-feed.ts'
import { introspect, obtainTokens, refresh, signIn, startDemoService, type Tokens, userinfo } from '../support/world.ts'
import { callAsOps } from './calls.ts'

// A revocation applies on its own node before the response, and on the other nodes shortly after.

let node1: TestService
let node2: TestService
let firm: LicensedTenant
beforeAll(async () => {
  node1 = await startDemoService()
  node2 = await startService({ sameDatabaseAs: node1 })
  firm = await createLicensedTenant(node1, { seats: 100 })
})
afterAll(async () => {
  await node2?.close()
  await node1?.close()
})

interface LicensedUser {
  id: string
  cookie: string
  tokens: Tokens
}

let user: LicensedUser
/** A user with a seat and a session that work on both nodes. */
beforeEach(async () => {
  const worker = await addTenantMember(firm)
  await requireStatus(201, grant(firm, worker))
  const cookie = await signIn(node1.url, worker.email)
  const tokens = await obtainTokens(node1.url, cookie, { tenant: firm.company.slug })
  user = { id: worker.id, cookie, tokens }
  for (const node of [node1, node2]) await expectServed(node)
})

const statusByCookie = async ({ url }: TestService) =>
  (await call(`${url}/api/users/me`, { method: 'GET', headers: { cookie: user.cookie } })).status

async function expectServed(node: TestService): Promise<void> {
  expect(await userinfo(node.url, user.tokens.access_token)).toBe(200)
  expect(await statusByCookie(node)).toBe(200)
  await expect.poll(() => check(onNode(node, firm), user)).toMatchObject({ hasLicense: true })
}

/** Access token, cookie and refresh token are all refused. */
async function expectEnded(node: TestService): Promise<void> {
  const { access_token, refresh_token } = user.tokens
  await expect.poll(() => userinfo(node.url, access_token)).toBe(401)
  expect(await statusByCookie(node)).toBe(401)
  expect(await introspect(node.url, access_token)).toEqual({ active: false })
  expect(await introspect(node.url, refresh_token)).toEqual({ active: false })
  expect((await refresh(node.url, refresh_token)).body.error).toBe('invalid_grant')
}

const revocations: [string, (id: string) => ReturnType<typeof callAsOps>][] = [
  ['disabling an account', (id) => callAsOps(node1, 'PATCH', `/${id}`, { disabled: true })],
  ['deleting an account', (id) => callAsOps(node1, 'DELETE', `/${id}`)],
  ['ending the sessions', (id) => callAsOps(node1, 'DELETE', `/${id}/sessions`)],
  ['resetting the password', (id) => callAsOps(node1, 'POST', `/${id}/password-reset`)],
]

describe.each(revocations)('%s', (name, revoke) => {
  const endsSeat = name.startsWith('d')

  async function expectAllEnded(): Promise<void> {
    expect(await userinfo(node1.url, user.tokens.access_token)).toBe(401)
    for (const node of [node1, node2]) {
      await expectEnded(node)
      if (endsSeat) await expect.poll(() => check(onNode(node, firm), user)).toEqual(NO_LICENSE)
    }
  }

  test('ends every session and token on both nodes', async () => {
    const { quantityAssigned } = await getSeatSummary(firm)
    await requireStatus(200, revoke(user.id))
    await expectAllEnded()
    expect((await getSeatSummary(firm)).quantityAssigned).toBe(Number(quantityAssigned) - (endsSeat ? 1 : 0))
  })

  test('does so while the nodes receive no change notifications', async () => {
    await withoutChangeFeed([node1, node2], async () => {
      await requireStatus(200, revoke(user.id))
      await expectAllEnded()
    })
  })
})

test('an enabled account has its seat again on both nodes, but none of its tokens', async () => {
  await requireStatus(200, callAsOps(node1, 'PATCH', `/${user.id}`, { disabled: true }))
  await requireStatus(200, callAsOps(node2, 'PATCH', `/${user.id}`, { disabled: false }))
  for (const node of [node1, node2]) {
    const licensed = { hasLicense: true }
    await expect.poll(() => check(onNode(node, firm), user)).toMatchObject(licensed)
    await expectEnded(node)
  }
})
