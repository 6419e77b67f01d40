import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { surface } from '../../src/app.ts'
import { loadConfig, readConfig } from '../../src/config.ts'
import { call, failure, newSomebody, type Somebody } from '../account/people.ts'
import { startService, type TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { machineToken, obtainTokens, startWorld } from '../support/world.ts'
import { employ, newCompany } from '../tenants/company.ts'

// SUPER_ADMIN_MFA: where it is REQUIRED, a Super Admin runs the instance only with a second factor shown.

const { routes } = surface(loadConfig('demo', {}))
const open = routes.filter(({ caller }) => ['administrator', 'auditor', 'event-reader'].includes(caller))

const superAdminMfa = 'REQUIRED' as const
let here: TestService
let there: TestService
let root: Somebody
beforeAll(async () => {
  here = await startWorld({ config: { superAdminMfa } })
  there = await startService({ beside: here, config: { superAdminMfa } })
  root = await newSomebody(here, { is_super_admin: true })
})
afterAll(async () => {
  await there?.close()
  await here?.close()
})

const REFUSED = failure(403, 'MFA_REQUIRED')
const bearing = (token: string) => ({ authorization: `Bearer ${token}` })

/** Sets an authenticator app up, and returns a token that was given after it. */
async function enroll({ cookie }: Somebody): Promise<string> {
  const headers = { cookie, origin: here.url }
  const totp = `${here.url}/api/users/me/mfa/totp`
  const { body } = await call(totp, { method: 'POST', headers })
  const code = totpCode(String(body.secret), here.ctx.now())
  const enrolled = await call(`${totp}/verify`, { method: 'POST', headers, body: { code } })
  const fresh = enrolled.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return (await obtainTokens(here.url, fresh)).access_token
}

test('is on with serve and off in the demo, unless it is said otherwise', () => {
  const production = { LATCHKEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
  const read = (mode: 'demo' | 'serve', env: object) =>
    loadConfig(mode, { ...production, ...env }).superAdminMfa
  expect([read('serve', {}), read('demo', {})]).toEqual(['REQUIRED', 'OPTIONAL'])
  expect(read('serve', { SUPER_ADMIN_MFA: 'OPTIONAL' })).toBe('OPTIONAL')
  expect(read('demo', { SUPER_ADMIN_MFA: 'REQUIRED' })).toBe('REQUIRED')
  const { config, problems } = readConfig('serve', { ...production, SUPER_ADMIN_MFA: 'no' })
  expect(problems).toEqual([expect.stringContaining('SUPER_ADMIN_MFA')])
  expect(config.superAdminMfa).toBe('REQUIRED')
})

describe('by the password alone', () => {
  test.each(open.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'a Super Admin is refused by %s, and told what is missing',
    async (_, { method, path, body }) => {
      const address = path.replace(/:\w+/g, randomUUID())
      expect(await root.call(method, address, body && {})).toMatchObject(REFUSED)
    },
  )

  test('a Super Admin has what everybody has, and may enroll', async () => {
    for (const path of ['/api/users/me', '/api/users/me/mfa', '/api/tenants']) {
      expect((await root.call('GET', path)).status).toBe(200)
    }
  })

  test('others hear as before that they may not', async () => {
    const somebody = await newSomebody(here)
    expect(await somebody.call('GET', '/api/admin/users')).toMatchObject(failure(403, 'FORBIDDEN'))
  })

  test('a Super Admin who looks after a tenant reads its events, and no others', async () => {
    const owner = await newSomebody(here, { is_super_admin: true })
    const [company, other] = [await newCompany(here), await newCompany(here)]
    await employ(here, company, owner, { role: 'owner' })
    const { access_token } = await obtainTokens(here.url, owner.cookie, { tenant: company.slug })
    const read = (query: string) =>
      call(`${here.url}/api/events${query}`, { method: 'GET', headers: bearing(access_token) })
    expect((await read('')).status).toBe(200)
    expect(await read(`?tenantId=${other.id}`)).toMatchObject(failure(403, 'FORBIDDEN'))
  })

  test('machines are not asked for what only people have', async () => {
    const headers = bearing(await machineToken(here.url, 'demo-ops'))
    expect((await call(`${here.url}/api/admin/users`, { method: 'GET', headers })).status).toBe(200)
  })
})

test('with a second factor shown a Super Admin runs the instance, on every node, until the last one is removed', async () => {
  const admin = await newSomebody(here, { is_super_admin: true })
  const headers = bearing(await enroll(admin))
  const ask = ({ url }: TestService) => call(`${url}/api/admin/users`, { method: 'GET', headers })
  for (const node of [here, there]) expect((await ask(node)).status).toBe(200)
  // A token from before is worth what was shown before.
  expect(await admin.call('GET', '/api/admin/users')).toMatchObject(REFUSED)
  await here.ctx.db.deleteFrom('totp_secrets').where('user_id', '=', admin.id).execute()
  for (const { ctx } of [here, there]) await ctx.changes.settle()
  for (const node of [there, here]) expect(await ask(node)).toMatchObject(REFUSED)
})

test('where it is off, the password is enough', async () => {
  const demo = await startService({ beside: here })
  try {
    const { status } = await call(`${demo.url}/api/admin/users`, {
      ...{ method: 'GET', headers: bearing(root.tokens.access_token) },
    })
    expect(status).toBe(200)
  } finally {
    await demo.close()
  }
})
