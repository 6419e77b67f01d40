import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminOf } from '../support/database.ts'
import type { TestService } from '../support/service.ts'
import { authorize, obtainTokens, refresh, signIn, startDemoService, userinfo } from '../support/world.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

test('during a database outage tokens get 503 instead of 401, and the keys are still served', async () => {
  const { url, connection } = service
  const cookie = await signIn(url, 'mia@acme.test')
  const tokens = await obtainTokens(url, cookie)
  expect(await userinfo(url, tokens.access_token)).toBe(200)
  const admin = await adminOf(connection.direct.host ?? '')
  await admin.query(`alter database ${connection.name} allow_connections false`)
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [connection.name])
  await expect.poll(() => service.ctx.changes.isCurrent()).toBe(false)

  expect(await userinfo(url, tokens.access_token)).toBe(503)
  const refused = await refresh(url, tokens.refresh_token)
  expect(refused).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
  const { response } = await authorize(url, cookie)
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('2')
  for (const path of ['/api/oauth/jwks', '/.well-known/openid-configuration']) {
    expect((await fetch(url + path)).status).toBe(200)
  }

  await admin.query(`alter database ${connection.name} allow_connections true`)
  await admin.end()
  await expect.poll(() => userinfo(url, tokens.access_token)).toBe(200)
  expect((await refresh(url, tokens.refresh_token)).status).toBe(200)
})
