import { expect } from 'vitest'
import type { TestService } from '../support/service.ts'
import { PASSWORD } from '../support/world.ts'
import { call, findLinkToken, listMailTo, type TestUser } from './people.ts'

export const requestChange = (somebody: TestUser, newEmail: unknown, password: unknown = PASSWORD) =>
  somebody.call('POST', '/api/users/me/email', { newEmail, password })

export const verifyEmail = ({ url }: TestService, token: string | undefined) =>
  call(`${url}/api/auth/email/verify`, { method: 'POST', body: { token } })

/** Requests the address and returns the token that was mailed to it. */
export async function requestEmailToken(service: TestService, somebody: TestUser, newEmail: string): Promise<string> {
  expect((await requestChange(somebody, newEmail)).status).toBe(200)
  const token = findLinkToken((await listMailTo(service, newEmail))[0])
  if (token === undefined) throw new Error(`no link was mailed to ${newEmail}`)
  return token
}

export const findAddress = ({ ctx }: TestService, { id }: { id: string }) =>
  ctx.db.selectFrom('users').select(['email', 'email_verified']).where('id', '=', id).executeTakeFirstOrThrow()
