import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertUser } from '../account/people.ts'
import { newUpstreamUser, type SsoWorld, startSsoWorld } from '../sso/world.ts'
import { authorizeUrl } from '../support/world.ts'
import { BY_REQUEST, BY_SYSTEM, captureEntries, captureEntry } from './entries.ts'

let world: SsoWorld
beforeAll(async () => {
  world = await startSsoWorld()
})
afterAll(() => world.close())

const signInAs = async (email: string, traits: object = {}) => {
  world.google.person = { ...newUpstreamUser(email), ...traits }
  return world.visitor().go(`${world.url}/sso/google`)
}
const REFUSED = { action: 'session.refused', ...BY_SYSTEM, ...BY_REQUEST }

test('a sign-in with an unlinked identity and an unverified address records an entry', async () => {
  const entry = await captureEntry(world.service, () => signInAs('mia@acme.test', { email_verified: false }))
  expect(entry).toMatchObject({ ...REFUSED, user_id: null, personal: { email: 'mia@acme.test' } })
  expect(entry.details).toEqual({ reason: 'not_linked', method: 'sso', provider: 'GOOGLE' })
})

test('a sign-in to an unverified or disabled account records the user', async () => {
  const unproven = await insertUser(world.service, { email_verified: false })
  expect(await captureEntry(world.service, () => signInAs(unproven.email))).toMatchObject({
    ...REFUSED,
    user_id: unproven.id,
    details: { reason: 'unproven_address' },
  })
  const disabled = await insertUser(world.service, { disabled: true })
  expect(await captureEntry(world.service, () => signInAs(disabled.email))).toMatchObject({
    ...REFUSED,
    user_id: disabled.id,
    details: { reason: 'disabled' },
  })
})

test('a sign-in for an application records the client, whether it succeeds or not', async () => {
  const { db } = world.service.ctx
  const person = newUpstreamUser()
  world.google.person = person
  const go = async () => {
    const browser = world.visitor()
    const { url } = await browser.go(authorizeUrl(world.url))
    const journey = new URL(url).searchParams.get('journey') ?? ''
    return browser.go(`${world.url}/sso/google?${new URLSearchParams({ journey })}`)
  }
  const entries = await captureEntries(world.service, go)
  expect(entries.find(({ action }) => action === 'session.started')).toMatchObject({ client_id: 'demo-spa' })
  await db.updateTable('users').set({ disabled: true }).where('email', '=', person.email).execute()
  expect(await captureEntry(world.service, go)).toMatchObject({
    ...REFUSED,
    client_id: 'demo-spa',
    details: { reason: 'disabled', provider: 'GOOGLE' },
  })
})

test('a refusal at the provider records an entry, and a replayed callback records none', async () => {
  const browser = world.visitor()
  const { url } = await browser.go(`${world.url}/sso/google`, (at) => !at.startsWith(world.url))
  const state = new URL(url).searchParams.get('state') ?? ''
  const back = `${world.url}/sso/google/callback?${new URLSearchParams({ state, error: 'access_denied' })}`
  expect(await captureEntry(world.service, () => browser.go(back))).toMatchObject({
    ...REFUSED,
    details: { reason: 'provider_refused', method: 'sso', provider: 'GOOGLE' },
  })
  expect(await captureEntries(world.service, () => browser.go(back))).toEqual([])
})
