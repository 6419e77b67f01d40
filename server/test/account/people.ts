import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, obtainTokens, PASSWORD, type Tokens } from '../support/world.ts'

export interface Answer {
  status: number
  headers: Headers
  body: Record<string, unknown>
}

/** Somebody of a test's own, with the password of the demo, signed in through our own application. */
export interface Somebody {
  id: string
  email: string
  cookie: string
  tokens: Tokens
  /** Calls a route with their access token. */
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** Signs in once more, elsewhere. */
  signInElsewhere(): Promise<{ cookie: string; tokens: Tokens }>
}

export async function newSomebody(service: TestService, traits: object = {}): Promise<Somebody> {
  const { id, email } = await addPerson(service, traits)
  const elsewhere = () => signInWithTokens(service.url, email)
  const { cookie, tokens } = await elsewhere()
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  return {
    ...{ id, email, cookie, tokens },
    call: (method, path, body) => call(service.url + path, { method, body, headers }),
    signInElsewhere: elsewhere,
  }
}

/** A person whose address is confirmed, without hashing anything: the password is that of everybody in the demo. */
export async function addPerson({ ctx }: TestService, traits: object = {}) {
  const { password_hash } = await ctx.db
    .selectFrom('users')
    .select('password_hash')
    .where('email', '=', 'mia@acme.test')
    .executeTakeFirstOrThrow()
  const now = ctx.now()
  const id = newId()
  const email = `somebody-${randomBytes(5).toString('hex')}@people.test`
  const person = { id, email, email_verified: true, password_hash, is_super_admin: false }
  await ctx.db
    .insertInto('users')
    .values({ ...NAMELESS, ...person, created_at: now, updated_at: now, ...traits })
    .execute()
  return { id, email: (traits as { email?: string }).email ?? email }
}

const NAMELESS = { display_name: null, given_name: null, family_name: null }

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

interface Call {
  method: string
  body?: unknown
  headers?: Record<string, string>
}

export async function call(address: string, { method, body, headers = {} }: Call): Promise<Answer> {
  const response = await fetch(
    address,
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

/** What the demo's mailbox holds for an address, newest first. */
export async function mailTo({ url }: TestService, address: string): Promise<Mail[]> {
  const mails = (await (await fetch(`${url}/dev/mailbox/messages`)).json()) as Mail[]
  return mails.filter(({ to }) => to === address)
}

/** The token of the link in a mail; undefined when there is none. */
export const tokenIn = (mail: Mail | undefined): string | undefined =>
  /[?&]token=([\w-]+)/.exec(mail?.text ?? '')?.[1]

/** What the log tells about a person, oldest first. */
export const entriesOf = ({ ctx }: TestService, userId: string) =>
  ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'actor_kind', 'actor_id', 'details', 'personal'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()

export const failure = (statusCode: number, error: string) => ({
  status: statusCode,
  body: { statusCode, error, message: expect.any(String), requestId: expect.any(String) },
})
