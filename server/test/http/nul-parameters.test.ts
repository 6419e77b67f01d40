import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listRoutes } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import type { TestService } from '../support/service.ts'
import { findIds, machineToken, obtainTokens, signIn, startDemoService } from '../support/world.ts'

let service: TestService
let tenantId: string
const callers: Record<string, Record<string, string>> = { nobody: {} }
beforeAll(async () => {
  service = await startDemoService()
  tenantId = (await findIds(service, 'olivia@acme.test', 'acme')).tenantId
  const { access_token } = await obtainTokens(service.url, await signIn(service.url, 'olivia@acme.test'))
  callers.olivia = { authorization: `Bearer ${access_token}` }
  callers.ops = { authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}` }
})
afterAll(() => service.close())

const { routes } = listRoutes(loadConfig('demo', {}))
const parameters = routes.flatMap(({ method, path }) =>
  [...path.matchAll(/:\w+/g)].map(([parameter]) => ({ method, path, parameter })),
)

/** Calls a route with the given value for one of its path parameters, in an existing tenant. */
async function call({ method, path, parameter }: (typeof parameters)[number], value: string, headers: object) {
  const url = path.replace(parameter, value).replace('/tenants/:id', `/tenants/${tenantId}`)
  const body = ['GET', 'DELETE'].includes(method) ? {} : { body: '{}' }
  const response = await fetch(service.url + url.replaceAll(/:\w+/g, 'x'), {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...body,
  })
  const { error, message } = JSON.parse(await response.text()) as Record<string, unknown>
  return { status: response.status, error, message }
}

// PostgreSQL rejects NUL, and an error before authorization would differ from the error of an unknown id.
describe.each(parameters)('$method $path', (route) => {
  test(`${route.parameter} with NUL is answered like an unknown value (T132)`, async () => {
    for (const [who, headers] of Object.entries(callers)) {
      const unknown = await call(route, 'nobody-has-this', headers)
      for (const name of ['%00', `${tenantId}%00`]) {
        expect(await call(route, name, headers), who).toEqual(unknown)
      }
      expect(unknown.status).toBeLessThan(500)
      expect(unknown.error, who).not.toBe('NOT_FOUND')
    }
  })
})
