import { randomUUID } from 'node:crypto'
import type { TestService } from '../support/service.ts'
import { signIn, startWorld } from '../support/world.ts'
import { prepareUpstream, type Upstream } from './upstream.ts'
import { createVisitor, type Visitor } from './visitor.ts'

export interface SsoWorld {
  service: TestService
  url: string
  google: Upstream
  okta: Upstream
  /** A browser that has been nowhere. */
  visitor(): Visitor
  /** A browser in which somebody is signed in with a password. */
  visitorAs(email: string): Promise<Visitor>
  close(): Promise<void>
}

interface Options {
  worker?: boolean
  /** OKTA says in every ID token when somebody signed in there. */
  tellsTime?: boolean
}

/** The demo's world, with two providers: GOOGLE and OKTA. */
export async function startSsoWorld({ worker = false, tellsTime = false }: Options = {}): Promise<SsoWorld> {
  const google = await prepareUpstream('GOOGLE', { label: 'Google' })
  const okta = await prepareUpstream('OKTA', { label: 'Acme Okta', oldFashioned: true, tellsTime })
  const service = await startWorld({ worker, config: { sso: [google.settings, okta.settings] } })
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

/** Somebody with a verified address whom no test has seen before. */
export const newPerson = (email = `${randomUUID()}@example.com`) => ({
  sub: randomUUID(),
  email,
  email_verified: true,
  name: 'Nora New',
  given_name: 'Nora',
  family_name: 'New',
  picture: 'https://example.com/nora.png',
})

export interface LinkShown {
  provider: string
  email: string | null
  displayName: string | null
  avatarUrl: string | null
  linkedAt: string
  lastUsedAt: string
}

/** The links of whoever is signed in in the browser; undefined when nobody is. */
export async function linksOf({ url }: SsoWorld, browser: Visitor): Promise<LinkShown[] | undefined> {
  const response = await fetch(`${url}/api/users/me/sso`, { headers: { cookie: browser.cookiesFor(url) } })
  return response.status === 200 ? ((await response.json()) as { links: LinkShown[] }).links : undefined
}

/** A call of a person's own routes, with the cookies of their browser. */
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

/** The row of a person. */
export const findPerson = ({ service }: SsoWorld, email: string) =>
  service.ctx.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

/** How many there are of everything a sign-in could leave behind. */
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
