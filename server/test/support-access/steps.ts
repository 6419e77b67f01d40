import { expect } from 'vitest'
import { type ApiResponse, call, insertUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import {
  addMember,
  authorize,
  cookieOf,
  exchange,
  findIds,
  obtainTokens,
  signIn,
  type Tokens,
} from '../support/world.ts'

export const REASON = 'Ticket 4711: the invoice page stays empty'

/** A Super Admin who is signed in to the browser and to the API. */
export interface Operator {
  id: string
  email: string
  cookie: string
  tokens: Tokens
}

export async function newOperator(service: TestService): Promise<Operator> {
  const user = await insertUser(service, { is_super_admin: true, display_name: 'Sam Operator' })
  const cookie = await signIn(service.url, user.email)
  return { ...user, cookie, tokens: await obtainTokens(service.url, cookie) }
}

/** An active member of Acme. */
export async function newMember(service: TestService, traits: object = {}, slug = 'acme') {
  const user = await insertUser(service, { display_name: 'Mara Member', ...traits })
  await addMember(service, user.email, slug)
  return { ...user, tenantId: (await findIds(service, user.email, slug)).tenantId }
}

export type Member = Awaited<ReturnType<typeof newMember>>

export const allowSupport = (service: TestService, allowed = true, slug = 'acme') =>
  service.ctx.db.updateTable('tenants').set({ support_access: allowed }).where('slug', '=', slug).execute()

export const bearer = (accessToken: string) => ({ authorization: `Bearer ${accessToken}` })

export const start = (
  { url }: TestService,
  operator: Operator,
  member: { id: string; tenantId: string },
  body: object = {},
): Promise<ApiResponse> =>
  call(`${url}/api/admin/tenants/${member.tenantId}/members/${member.id}/support-sessions`, {
    method: 'POST',
    headers: bearer(operator.tokens.access_token),
    body: { reason: REASON, ...body },
  })

/** Starts support access and opens its link. Returns the cookies of the browser. */
export async function act(service: TestService, operator: Operator, member: Member, body: object = {}) {
  const started = await start(service, operator, member, body)
  expect(started).toMatchObject({ status: 201 })
  const { id, url, endsAt } = started.body as Record<string, string>
  const opened = await fetch(url ?? '', { headers: { cookie: operator.cookie }, redirect: 'manual' })
  expect([opened.status, opened.headers.get('location')]).toEqual([303, '/support-access'])
  return { id: id ?? '', link: url ?? '', endsAt: endsAt ?? '', cookie: `${operator.cookie}; ${cookieOf(opened)}` }
}

/** Tokens of a session; by default those of the application of the demo, for Acme. */
export async function tokensOf(url: string, cookie: string, parameters: Record<string, string> = {}) {
  const { answer } = await authorize(url, cookie, parameters)
  const { status, body } = await exchange(url, answer.code)
  expect({ answer, status }).toMatchObject({ status: 200 })
  return body as Tokens & { expires_in: number }
}

export const statusOf = async (url: string, path: string, accessToken: string, method = 'GET') =>
  (await fetch(url + path, { method, headers: bearer(accessToken) })).status
