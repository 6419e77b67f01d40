import { expect } from 'vitest'
import { newApplication, newClient, newMachine } from './admin.ts'
import type { Browser } from './browser.ts'
import {
  askMachineToken,
  authorize,
  bearer,
  type Client,
  exchange,
  getTokens,
  landing,
  revoke,
} from './oauth.ts'
import { goThrough } from './pages.ts'
import type { Person } from './person.ts'
import { type Answer, base, read } from './service.ts'

type Headers = Record<string, string>

/** One call of a JSON route. Who calls is a matter of the headers. */
export async function call<Body = Record<string, unknown>>(
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Headers; body?: unknown } = {},
): Promise<Answer<Body>> {
  const init =
    body === undefined
      ? { method, headers }
      : { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
  return read<Body>(await fetch(base + path, init))
}

export const ownOrigin = new URL(base).origin

/** As a browser sends it for any page whatsoever. */
export const withCookies = ({ cookies }: Browser): Headers => ({
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
})

/** As a browser sends it for a page of the service itself. */
export const fromOwnPage = (browser: Browser): Headers => ({ ...withCookies(browser), origin: ownOrigin })

/** The whole body of a refusal. */
export const refusal = (statusCode: number, error: string, more: object = {}) => ({
  statusCode,
  error,
  message: expect.any(String),
  requestId: expect.any(String),
  ...more,
})

/** The headers of somebody who uses an application of ours. */
export const asPerson = async (person: Person, client: Client): Promise<Headers> =>
  bearer((await getTokens(await person.signIn(), client)).access_token)

/** Everybody who may not enter where a person manages their own account, and what they are told. */
export async function intruders(person: Person): Promise<[string, Headers, number][]> {
  const application = await newApplication()
  const spa = await newClient(application, 'SPA')
  const dead = (await getTokens(await person.signIn(), spa)).access_token
  await revoke(spa, dead)
  return [
    ['nobody', {}, 401],
    ['a dead token', bearer(dead), 401],
    ['no token of ours', bearer('a.b.c'), 401],
    ['a made-up cookie', { cookie: `latchkey_session=${'A'.repeat(43)}` }, 401],
    ['a dead token beside a live cookie', { ...withCookies(await person.signIn()), ...bearer(dead) }, 401],
    ['a machine', bearer(await machineToken(application)), 403],
    ['a third-party application', bearer(await thirdPartyToken(person)), 403],
  ]
}

/** Turns every one of the intruders away, and tells them no more than that. */
export async function expectClosed(
  strangers: Awaited<ReturnType<typeof intruders>>,
  { method, path, body }: { method: string; path: string; body?: unknown },
): Promise<void> {
  for (const [who, headers, status] of strangers) {
    const answer = await call(method, path, { headers: { origin: ownOrigin, ...headers }, body })
    expect(answer.status, who).toBe(status)
    expect(answer.body, who).toEqual(refusal(status, status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
    if (status === 401) expect(answer.headers.get('www-authenticate'), who).toMatch(/^Bearer\b/)
  }
}

async function machineToken(application: string): Promise<string> {
  const machine = await newMachine(application, ['admin'])
  return (await askMachineToken(machine, { scope: 'admin' })).body.access_token
}

async function thirdPartyToken(person: Person): Promise<string> {
  const client = await newClient(await newApplication({ trusted: false }), 'SPA')
  const browser = await person.signIn()
  const { code = '' } = landing(await goThrough(browser, await authorize(browser, client), person))
  return (await exchange(client, code)).body.access_token
}
