import { expect } from 'vitest'
import { insertUser } from '../account/people.ts'
import type { Stop, Visitor } from './visitor.ts'
import { callAs, type SsoWorld } from './world.ts'

export const link = (world: SsoWorld, browser: Visitor, body: unknown) =>
  callAs(world, browser, { method: 'POST', path: '/api/users/me/sso/link', body })

export const unlink = (world: SsoWorld, browser: Visitor, provider: string) =>
  callAs(world, browser, { method: 'DELETE', path: `/api/users/me/sso/${provider}` })

/** Links an identity, from start to callback. */
export async function linkThrough(world: SsoWorld, browser: Visitor, provider: 'google' | 'okta'): Promise<Stop> {
  const { status, body } = await link(world, browser, { provider: provider.toUpperCase() })
  expect(status).toBe(200)
  browser.forget(world[provider].settings.issuer)
  return browser.go(String(body.url), (at) => at.endsWith('/account'))
}

/** A signed-in user with a password, a verified address and no links. */
export async function newUser(
  world: SsoWorld,
  name: string,
): Promise<{ browser: Visitor; userId: string; email: string }> {
  const { id: userId, email } = await insertUser(world.service, { email: `${name}@example.com` })
  return { browser: await world.visitorAs(email), userId, email }
}
