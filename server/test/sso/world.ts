import { randomUUID } from 'node:crypto'
import type { TestService } from '../support/service.ts'
import { signIn, startDemoService } from '../support/world.ts'
import { prepareUpstream, type Upstream } from './upstream.ts'
import { createVisitor, type Visitor } from './visitor.ts'

export interface SsoWorld {
  service: TestService
  url: string
  google: Upstream
  okta: Upstream
  /** A browser without cookies. */
  visitor(): Visitor
  /** A browser that has signed in with a password. */
  visitorAs(email: string): Promise<Visitor>
  close(): Promise<void>
}

interface Options {
  worker?: boolean
  /** OKTA sends auth_time in every ID token. */
  tellsTime?: boolean
}

/** The demo data with two providers: GOOGLE and OKTA. */
export async function startSsoWorld({ worker = false, tellsTime = false }: Options = {}): Promise<SsoWorld> {
  const google = await prepareUpstream('GOOGLE', { label: 'Google' })
  const okta = await prepareUpstream('OKTA', { label: 'Acme Okta', oldFashioned: true, tellsTime })
  const service = await startDemoService({ worker, config: { sso: [google.settings, okta.settings] } })
  const { url } = service
  await google.start(url)
  await okta.start(url)
  const visitor = () => createVisitor([url, google.settings.issuer, okta.settings.issuer])
  return {
    service,
    url,
    google,
    okta,
    visitor,
    async visitorAs(email) {
      const browser = visitor()
      browser.take(url, await signIn(url, email))
      return browser
    },
    async close() {
      await service.close()
      await google.stop()
      await okta.stop()
    },
  }
}

/** A new upstream user with a verified address. */
export const newUpstreamUser = (email = `${randomUUID()}@example.com`) => ({
  sub: randomUUID(),
  email,
  email_verified: true,
  name: 'Nora New',
  given_name: 'Nora',
  family_name: 'New',
  picture: 'https://example.com/nora.png',
})

export interface LinkBody {
  provider: string
  email: string | null
  displayName: string | null
  avatarUrl: string | null
  linkedAt: string
  lastUsedAt: string
}

/** The links of the signed-in user; undefined without a session. */
export async function linksOf({ url }: SsoWorld, browser: Visitor): Promise<LinkBody[] | undefined> {
  const response = await fetch(`${url}/api/users/me/sso`, { headers: { cookie: browser.cookiesFor(url) } })
  return response.status === 200 ? ((await response.json()) as { links: LinkBody[] }).links : undefined
}

/** Calls a route with the cookies of the browser. */
export async function callAs(
  { url }: SsoWorld,
  browser: Visitor,
  { method, path, body }: { method: string; path: string; body?: unknown },
) {
  const response = await fetch(url + path, {
    method,
    headers: {
      cookie: browser.cookiesFor(url),
      origin: url,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

export const findUserRow = ({ service }: SsoWorld, email: string) =>
  service.ctx.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

/** Counts every kind of row that a sign-in can create. */
export async function countAll({ service }: SsoWorld) {
  const { db } = service.ctx
  const count = async (table: 'users' | 'sso_links' | 'sessions' | 'pending_sign_ins') => {
    const rows = await db.selectFrom(table).select(db.fn.countAll().as('n')).executeTakeFirstOrThrow()
    return Number(rows.n)
  }
  return {
    users: await count('users'),
    links: await count('sso_links'),
    sessions: await count('sessions'),
    pending: await count('pending_sign_ins'),
  }
}
