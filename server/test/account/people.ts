import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, obtainTokens, PASSWORD, type Tokens } from '../support/world.ts'

export interface ApiResponse {
  status: number
  headers: Headers
  body: Record<string, unknown>
}

/** A user created for one test, with the demo password, signed in through the first-party application. */
export interface TestUser {
  id: string
  email: string
  cookie: string
  tokens: Tokens
  /** Calls a route with their access token. */
  call(method: string, path: string, body?: unknown): Promise<ApiResponse>
  /** Creates another session. */
  signInAgain(): Promise<{ cookie: string; tokens: Tokens }>
}

export async function createSignedInUser(service: TestService, traits: object = {}): Promise<TestUser> {
  const { id, email } = await insertUser(service, traits)
  const signInAgain = () => signInWithTokens(service.url, email)
  const { cookie, tokens } = await signInAgain()
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  return {
    id,
    email,
    cookie,
    tokens,
    call: (method, path, body) => call(service.url + path, { method, body, headers }),
    signInAgain,
  }
}

/** Inserts a user with a verified address. It reuses the hash of the demo password, because hashing is slow. */
export async function insertUser({ ctx }: TestService, traits: object = {}) {
  const { password_hash } = await ctx.db
    .selectFrom('users')
    .select('password_hash')
    .where('email', '=', 'mia@acme.test')
    .executeTakeFirstOrThrow()
  const now = ctx.now()
  const id = newId()
  const email = `somebody-${randomBytes(5).toString('hex')}@people.test`
  await ctx.db
    .insertInto('users')
    .values({
      id,
      email,
      email_verified: true,
      password_hash,
      is_super_admin: false,
      display_name: null,
      given_name: null,
      family_name: null,
      created_at: now,
      updated_at: now,
      ...traits,
    })
    .execute()
  return { id, email: (traits as { email?: string }).email ?? email }
}

async function signInWithTokens(url: string, email: string) {
  const cookie = cookieOf(await logIn(url, email, PASSWORD))
  return { cookie, tokens: await obtainTokens(url, cookie) }
}

export const logIn = (url: string, email: string, password: string): Promise<Response> =>
  fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })

interface CallOptions {
  method: string
  body?: unknown
  headers?: Record<string, string>
}

export async function call(url: string, { method, body, headers = {} }: CallOptions): Promise<ApiResponse> {
  const response = await fetch(
    url,
    body === undefined
      ? { method, headers }
      : { method, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) },
  )
  return { status: response.status, headers: response.headers, body: (await response.json()) as never }
}

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
}

/** The mails of the demo mailbox to an address, newest first. */
export async function listMailTo({ url }: TestService, address: string): Promise<Mail[]> {
  const query = new URLSearchParams({ to: address })
  return (await (await fetch(`${url}/dev/mailbox/messages?${query}`)).json()) as Mail[]
}

/** The token of the link in a mail; undefined when there is none. */
export const findLinkToken = (mail: Mail | undefined): string | undefined =>
  /[?&]token=([\w-]+)/.exec(mail?.text ?? '')?.[1]

/** The audit entries about a user, oldest first. */
export const entriesOf = ({ ctx }: TestService, userId: string) =>
  ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'actor_kind', 'actor_id', 'details', 'personal'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()

export const errorReply = (statusCode: number, error: string) => ({
  status: statusCode,
  body: { statusCode, error, message: expect.any(String), requestId: expect.any(String) },
})
