import { expect } from 'vitest'
import { addPerson } from '../account/people.ts'
import type { Stop, Visitor } from './visitor.ts'
import { callAs, type SsoWorld } from './world.ts'

export const link = (world: SsoWorld, browser: Visitor, body: unknown) =>
  callAs(world, browser, { method: 'POST', path: '/api/users/me/sso/link', body })

export const unlink = (world: SsoWorld, browser: Visitor, provider: string) =>
  callAs(world, browser, { method: 'DELETE', path: `/api/users/me/sso/${provider}` })

/** Begins to link and comes back with the identity. */
export async function linkThrough(
  world: SsoWorld,
  browser: Visitor,
  provider: 'google' | 'okta',
): Promise<Stop> {
  const { status, body } = await link(world, browser, { provider: provider.toUpperCase() })
  expect(status).toBe(200)
  browser.forget(world[provider].settings.issuer)
  return browser.go(String(body.url), (at) => at.endsWith('/account'))
}

/** A person with a password of the demo's, a verified address and no links, signed in. */
export async function fresh(
  world: SsoWorld,
  name: string,
): Promise<{ browser: Visitor; userId: string; email: string }> {
  const { id: userId, email } = await addPerson(world.service, { email: `${name}@example.com` })
  return { browser: await world.visitorAs(email), userId, email }
}
