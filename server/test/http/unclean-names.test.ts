import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { surface } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import type { TestService } from '../support/service.ts'
import { findIds, machineToken, obtainTokens, signIn, startWorld } from '../support/world.ts'

let service: TestService
let tenantId: string
const callers: Record<string, Record<string, string>> = { nobody: {} }
beforeAll(async () => {
  service = await startWorld()
  tenantId = (await findIds(service, 'olivia@acme.test', 'acme')).tenantId
  const { access_token } = await obtainTokens(service.url, await signIn(service.url, 'olivia@acme.test'))
  callers.olivia = { authorization: `Bearer ${access_token}` }
  callers.ops = { authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}` }
})
afterAll(() => service.close())

const { routes } = surface(loadConfig('demo', {}))
const named = routes.flatMap(({ method, path }) =>
  [...path.matchAll(/:\w+/g)].map(([parameter]) => ({ method, path, parameter })),
)

/** What a route answers when one of its names is `name`. Beside it the tenant is one that is there. */
async function ask({ method, path, parameter }: (typeof named)[number], name: string, headers: object) {
  const address = path.replace(parameter, name).replace('/tenants/:id', `/tenants/${tenantId}`)
  const body = ['GET', 'DELETE'].includes(method) ? {} : { body: '{}' }
  const response = await fetch(service.url + address.replaceAll(/:\w+/g, 'x'), {
    ...{ method, headers: { ...headers, 'content-type': 'application/json' }, ...body },
  })
  const { error, message } = JSON.parse(await response.text()) as Record<string, unknown>
  return { status: response.status, error, message }
}

// A name of this character would make the database fail, and a refusal before the route would tell it from the unknown.
describe.each(named)('$method $path', (route) => {
  test(`${route.parameter} with NUL in it is answered like one that nobody has (T132)`, async () => {
    for (const [who, headers] of Object.entries(callers)) {
      const unknown = await ask(route, 'nobody-has-this', headers)
      for (const name of ['%00', `${tenantId}%00`]) {
        expect(await ask(route, name, headers), who).toEqual(unknown)
      }
      expect(unknown.status).toBeLessThan(500)
      expect(unknown.error, who).not.toBe('NOT_FOUND')
    }
  })
})
