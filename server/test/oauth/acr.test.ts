import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSignedInUser, type TestUser } from '../account/people.ts'
import { openTab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { authorize, authorizeUrl, claimsOf, exchange, PASSWORD, refresh, startDemoService } from '../support/world.ts'

let service: TestService
let url: string
let ann: TestUser
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())
beforeEach(async () => {
  ann = await createSignedInUser(service)
})

/** Enrolls an authenticator app. The session stays as it was: without a second factor. */
async function enroll(): Promise<string> {
  const { body } = await ann.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
  const secret = body.secret as string
  service.advance(30_000)
  const { status } = await ann.call('POST', '/api/users/me/mfa/totp/verify', {
    code: totpCode(secret, service.ctx.now()),
  })
  expect(status).toBe(200)
  await service.ctx.db
    .updateTable('sessions')
    .set({ amr: ['pwd'] })
    .where('user_id', '=', ann.id)
    .execute()
  await service.ctx.changes.waitUntilCurrent()
  return secret
}

const wants = (request: object) => ({ claims: JSON.stringify({ id_token: { acr: request } }) })
const ESSENTIAL_TWO = wants({ essential: true, value: '2' })

const acrOf = async (code: string | undefined) => claimsOf((await exchange(url, code)).body.id_token).acr

test.each<[string, Record<string, string>]>([
  ['a voluntary value', wants({ value: '2' })],
  ['a voluntary list', wants({ values: ['2', 'urn:x'] })],
  ['acr_values', { acr_values: '2' }],
  ['an essential list with what the session has', wants({ essential: true, values: ['1', '2'] })],
  ['an essential value of one factor', wants({ essential: true, value: '1' })],
  ['an essential acr without a value', wants({ essential: true })],
  ['a voluntary value that nobody has', wants({ value: 'urn:mace:incommon:iap:gold' })],
  ['an essential acr of userinfo', { claims: '{"userinfo":{"acr":{"essential":true,"value":"9"}}}' }],
  ['acr_values that nobody has', { acr_values: 'urn:nobody:knows' }],
])('%s gives a code to a user without a second factor', async (_, parameters) => {
  const { answer } = await authorize(url, ann.cookie, parameters)
  expect(await acrOf(answer.code)).toBe('1')
})

test.each<Record<string, string>>([wants({ value: '2' }), { acr_values: '2' }, ESSENTIAL_TWO])(
  '%j asks a user for the second factor that they have',
  async (parameters) => {
    const secret = await enroll()
    const tab = openTab(url, ann.cookie)
    const { location } = await tab.open(authorizeUrl('', parameters))
    expect(location).toMatch(/^\/mfa\?journey=/)
    await tab.open(location)
    service.advance(30_000)
    const shown = await tab.submit({ code: totpCode(secret, service.ctx.now()) })
    const done = new URL((await tab.open(shown.location)).location).searchParams
    expect(await acrOf(done.get('code') ?? '')).toBe('2')
    // With the second factor the request needs no page.
    const silent = await authorize(url, tab.cookies(), { ...parameters, prompt: 'none' })
    expect(await acrOf(silent.answer.code)).toBe('2')
  },
)

test('an essential acr of two factors leads a user without one to the setup', async () => {
  const { location } = await authorize(url, ann.cookie, ESSENTIAL_TWO)
  expect(location).toMatch(/^\/mfa\/setup\?journey=/)
})

test('with prompt=none an essential second factor is interaction_required, and a voluntary one is left out', async () => {
  await enroll()
  const essential = await authorize(url, ann.cookie, { ...ESSENTIAL_TWO, prompt: 'none' })
  expect(essential.answer).toMatchObject({ error: 'interaction_required', state: 'st' })
  const voluntary = await authorize(url, ann.cookie, { acr_values: '2', prompt: 'none' })
  expect(await acrOf(voluntary.answer.code)).toBe('1')
})

test.each([{ value: '3' }, { values: ['urn:gold'] }, { values: [] }, { value: 2 }, { value: '1', values: ['2'] }])(
  'an essential acr that no sign-in has, %j, is unmet_authentication_requirements before any page',
  async (request) => {
    for (const cookie of [ann.cookie, '']) {
      const { answer } = await authorize(url, cookie, wants({ essential: true, ...request }))
      expect(answer).toMatchObject({ error: 'unmet_authentication_requirements', state: 'st' })
    }
  },
)

test('the ID token has the essential acr of one factor as requested, also after a second factor and a refresh', async () => {
  await service.ctx.db
    .updateTable('sessions')
    .set({ amr: ['pwd', 'mfa'] })
    .where('user_id', '=', ann.id)
    .execute()
  await service.ctx.changes.waitUntilCurrent()
  const { answer } = await authorize(url, ann.cookie, wants({ essential: true, value: '1' }))
  const { body } = await exchange(url, answer.code)
  expect(claimsOf(body.id_token).acr).toBe('1')
  expect(claimsOf((await refresh(url, body.refresh_token)).body.id_token).acr).toBe('1')
  const voluntary = await authorize(url, ann.cookie, { acr_values: '1' })
  expect(await acrOf(voluntary.answer.code)).toBe('2')
})

test('auth_time is in every ID token, requested or not', async () => {
  const { answer } = await authorize(url, ann.cookie, { claims: '{"id_token":{"auth_time":{"essential":true}}}' })
  expect(claimsOf((await exchange(url, answer.code)).body.id_token).auth_time).toEqual(expect.any(Number))
})
