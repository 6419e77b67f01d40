import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPerson } from '../account/people.ts'
import { newPerson, type SsoWorld, startSsoWorld } from '../sso/world.ts'
import { authorizeUrl } from '../support/world.ts'
import { BY_REQUEST, BY_SYSTEM, entriesOfWork, entryOfWork } from './entries.ts'

let world: SsoWorld
beforeAll(async () => {
  world = await startSsoWorld()
})
afterAll(() => world.close())

const come = async (email: string, traits: object = {}) => {
  world.google.person = { ...newPerson(email), ...traits }
  return world.visitor().go(`${world.url}/sso/google`)
}
const REFUSED = { action: 'session.refused', ...BY_SYSTEM, ...BY_REQUEST }

test('an identity that is linked to nobody, and whose address is not proven, leaves an entry', async () => {
  const entry = await entryOfWork(world.service, () => come('mia@acme.test', { email_verified: false }))
  expect(entry).toMatchObject({ ...REFUSED, user_id: null, personal: { email: 'mia@acme.test' } })
  expect(entry.details).toEqual({ reason: 'not_linked', method: 'sso', provider: 'GOOGLE' })
})

test('an account whose address is unproven, or that is disabled, is named', async () => {
  const unproven = await addPerson(world.service, { email_verified: false })
  expect(await entryOfWork(world.service, () => come(unproven.email))).toMatchObject({
    ...{ ...REFUSED, user_id: unproven.id, details: { reason: 'unproven_address' } },
  })
  const disabled = await addPerson(world.service, { disabled: true })
  expect(await entryOfWork(world.service, () => come(disabled.email))).toMatchObject({
    ...{ ...REFUSED, user_id: disabled.id, details: { reason: 'disabled' } },
  })
})

test('on the way to an application the client is named, be it that somebody comes in or not', async () => {
  const { db } = world.service.ctx
  const person = newPerson()
  world.google.person = person
  const go = async () => {
    const browser = world.visitor()
    const { url } = await browser.go(authorizeUrl(world.url))
    const journey = new URL(url).searchParams.get('journey') ?? ''
    return browser.go(`${world.url}/sso/google?${new URLSearchParams({ journey })}`)
  }
  const entries = await entriesOfWork(world.service, go)
  expect(entries.find(({ action }) => action === 'session.started')).toMatchObject({ client_id: 'demo-spa' })
  await db.updateTable('users').set({ disabled: true }).where('email', '=', person.email).execute()
  expect(await entryOfWork(world.service, go)).toMatchObject({
    ...{ ...REFUSED, client_id: 'demo-spa', details: { reason: 'disabled', provider: 'GOOGLE' } },
  })
})

test('somebody who says no at the provider leaves an entry, and made-up answers leave none', async () => {
  const browser = world.visitor()
  const { url } = await browser.go(`${world.url}/sso/google`, (at) => !at.startsWith(world.url))
  const state = new URL(url).searchParams.get('state') ?? ''
  const back = `${world.url}/sso/google/callback?${new URLSearchParams({ state, error: 'access_denied' })}`
  expect(await entryOfWork(world.service, () => browser.go(back))).toMatchObject({
    ...{ ...REFUSED, details: { reason: 'provider_refused', method: 'sso', provider: 'GOOGLE' } },
  })
  expect(await entriesOfWork(world.service, () => browser.go(back))).toEqual([])
})
