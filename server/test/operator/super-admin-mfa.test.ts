import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listRoutes } from '../../src/app.ts'
import { loadConfig, readConfig } from '../../src/config.ts'
import { call, createSignedInUser, errorReply, type TestUser } from '../account/people.ts'
import { startService, type TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { machineToken, obtainTokens, startDemoService } from '../support/world.ts'
import { insertMembership, insertTenant } from '../tenants/tenant-rows.ts'

// With SUPER_ADMIN_MFA=REQUIRED a Super Admin needs a second factor to manage the instance.

const { routes } = listRoutes(loadConfig('demo', {}))
const adminRoutes = routes.filter(({ caller }) => ['administrator', 'auditor', 'event-reader'].includes(caller))

const superAdminMfa = 'REQUIRED' as const
let node1: TestService
let node2: TestService
let root: TestUser
beforeAll(async () => {
  node1 = await startDemoService({ config: { superAdminMfa } })
  node2 = await startService({ sameDatabaseAs: node1, config: { superAdminMfa } })
  root = await createSignedInUser(node1, { is_super_admin: true })
})
afterAll(async () => {
  await node2?.close()
  await node1?.close()
})

const REFUSED = errorReply(403, 'MFA_REQUIRED')
const withToken = (token: string) => ({ authorization: `Bearer ${token}` })

/** Sets up an authenticator app and returns a new access token. */
async function enroll({ cookie }: TestUser): Promise<string> {
  const headers = { cookie, origin: node1.url }
  const totp = `${node1.url}/api/users/me/mfa/totp`
  const { body } = await call(totp, { method: 'POST', headers })
  const code = totpCode(String(body.secret), node1.ctx.now())
  const enrolled = await call(`${totp}/verify`, { method: 'POST', headers, body: { code } })
  const fresh = enrolled.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return (await obtainTokens(node1.url, fresh)).access_token
}

test('SUPER_ADMIN_MFA is REQUIRED with serve and OPTIONAL in the demo by default', () => {
  const production = { LATCHKEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
  const read = (mode: 'demo' | 'serve', env: object) => loadConfig(mode, { ...production, ...env }).superAdminMfa
  expect([read('serve', {}), read('demo', {})]).toEqual(['REQUIRED', 'OPTIONAL'])
  expect(read('serve', { SUPER_ADMIN_MFA: 'OPTIONAL' })).toBe('OPTIONAL')
  expect(read('demo', { SUPER_ADMIN_MFA: 'REQUIRED' })).toBe('REQUIRED')
  const { config, problems } = readConfig('serve', { ...production, SUPER_ADMIN_MFA: 'no' })
  expect(problems).toEqual([expect.stringContaining('SUPER_ADMIN_MFA')])
  expect(config.superAdminMfa).toBe('REQUIRED')
})

describe('with a password only', () => {
  test.each(adminRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'a Super Admin gets MFA_REQUIRED from %s',
    async (_, { method, path, body }) => {
      const address = path.replace(/:\w+/g, randomUUID())
      expect(await root.call(method, address, body && {})).toMatchObject(REFUSED)
    },
  )

  test('a Super Admin can use the routes of every user and enroll', async () => {
    for (const path of ['/api/users/me', '/api/users/me/mfa', '/api/tenants']) {
      expect((await root.call('GET', path)).status).toBe(200)
    }
  })

  test('other users still get FORBIDDEN', async () => {
    const somebody = await createSignedInUser(node1)
    expect(await somebody.call('GET', '/api/admin/users')).toMatchObject(errorReply(403, 'FORBIDDEN'))
  })

  test('a Super Admin who owns a tenant reads only its events', async () => {
    const owner = await createSignedInUser(node1, { is_super_admin: true })
    const [company, other] = [await insertTenant(node1), await insertTenant(node1)]
    await insertMembership(node1, company, owner, { role: 'owner' })
    const { access_token } = await obtainTokens(node1.url, owner.cookie, { tenant: company.slug })
    const read = (query: string) =>
      call(`${node1.url}/api/events${query}`, { method: 'GET', headers: withToken(access_token) })
    expect((await read('')).status).toBe(200)
    expect(await read(`?tenantId=${other.id}`)).toMatchObject(errorReply(403, 'FORBIDDEN'))
  })

  test('machine clients need no second factor', async () => {
    const headers = withToken(await machineToken(node1.url, 'demo-ops'))
    expect((await call(`${node1.url}/api/admin/users`, { method: 'GET', headers })).status).toBe(200)
  })
})

test('with a second factor a Super Admin manages the instance on every node, until the last factor is removed', async () => {
  const admin = await createSignedInUser(node1, { is_super_admin: true })
  const headers = withToken(await enroll(admin))
  const ask = ({ url }: TestService) => call(`${url}/api/admin/users`, { method: 'GET', headers })
  for (const node of [node1, node2]) expect((await ask(node)).status).toBe(200)
  // An earlier token keeps its authentication level.
  expect(await admin.call('GET', '/api/admin/users')).toMatchObject(REFUSED)
  await node1.ctx.db.deleteFrom('totp_secrets').where('user_id', '=', admin.id).execute()
  for (const { ctx } of [node1, node2]) await ctx.changes.waitUntilCurrent()
  for (const node of [node2, node1]) expect(await ask(node)).toMatchObject(REFUSED)
})

test('with OPTIONAL the password is enough', async () => {
  const demo = await startService({ sameDatabaseAs: node1 })
  try {
    const { status } = await call(`${demo.url}/api/admin/users`, {
      method: 'GET',
      headers: withToken(root.tokens.access_token),
    })
    expect(status).toBe(200)
  } finally {
    await demo.close()
  }
})
