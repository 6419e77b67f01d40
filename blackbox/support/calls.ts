import { expect } from 'vitest'
import { newApplication, newClient, newMachine } from './admin.ts'
import type { Browser } from './browser.ts'
import {
  authorize,
  bearer,
  type Client,
  exchangeCode,
  getTokens,
  readRedirect,
  requestMachineToken,
  revokeToken,
} from './oauth.ts'
import { completePages } from './pages.ts'
import type { Person } from './person.ts'
import { type ApiResponse, baseUrl, readResponse } from './service.ts'

type Headers = Record<string, string>

/** Calls a JSON route. The headers contain the authentication. */
export async function call<Body = Record<string, unknown>>(
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Headers; body?: unknown } = {},
): Promise<ApiResponse<Body>> {
  const init =
    body === undefined
      ? { method, headers }
      : { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
  return readResponse<Body>(await fetch(baseUrl + path, init))
}

export const ownOrigin = new URL(baseUrl).origin

/** The cookies alone, as a browser sends them for any page. */
export const withCookies = ({ cookies }: Browser): Headers => ({
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
})

/** The cookies with the own origin, as a browser sends them for a page of the service. */
export const fromOwnPage = (browser: Browser): Headers => ({ ...withCookies(browser), origin: ownOrigin })

/** The complete body of an error response. */
export const errorBody = (statusCode: number, error: string, more: object = {}) => ({
  statusCode,
  error,
  message: expect.any(String),
  requestId: expect.any(String),
  ...more,
})

/** The headers of a person in a trusted application. */
export const asPerson = async (person: Person, client: Client): Promise<Headers> =>
  bearer((await getTokens(await person.signIn(), client)).access_token)

/** Callers that may not use the routes of an account, with their headers and the expected status. */
export async function newForbiddenCallers(person: Person): Promise<[string, Headers, number][]> {
  const application = await newApplication()
  const spa = await newClient(application, 'SPA')
  const dead = (await getTokens(await person.signIn(), spa)).access_token
  await revokeToken(spa, dead)
  return [
    ['no authentication', {}, 401],
    ['a revoked token', bearer(dead), 401],
    ['an invalid token', bearer('a.b.c'), 401],
    ['an unknown cookie', { cookie: `latchkey_session=${'A'.repeat(43)}` }, 401],
    ['a revoked token and a valid cookie', { ...withCookies(await person.signIn()), ...bearer(dead) }, 401],
    ['a machine', bearer(await machineToken(application)), 403],
    ['a third-party application', bearer(await thirdPartyToken(person)), 403],
  ]
}

/** Expects that every caller is refused without further information. */
export async function expectForbidden(
  forbiddenCallers: Awaited<ReturnType<typeof newForbiddenCallers>>,
  { method, path, body }: { method: string; path: string; body?: unknown },
): Promise<void> {
  for (const [who, headers, status] of forbiddenCallers) {
    const response = await call(method, path, { headers: { origin: ownOrigin, ...headers }, body })
    expect(response.status, who).toBe(status)
    expect(response.body, who).toEqual(errorBody(status, status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
    if (status === 401) expect(response.headers.get('www-authenticate'), who).toMatch(/^Bearer\b/)
  }
}

async function machineToken(application: string): Promise<string> {
  const machine = await newMachine(application, ['admin'])
  return (await requestMachineToken(machine, { scope: 'admin' })).body.access_token
}

async function thirdPartyToken(person: Person): Promise<string> {
  const client = await newClient(await newApplication({ trusted: false }), 'SPA')
  const browser = await person.signIn()
  const { code = '' } = readRedirect(await completePages(browser, await authorize(browser, client), person))
  return (await exchangeCode(client, code)).body.access_token
}
