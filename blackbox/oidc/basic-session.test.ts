import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { authorizeSilently, redeemAndVerify } from '../support/basic-flow.ts'
import { type Browser, openBrowser } from '../support/browser.ts'
import { authorizationRequest, authorize, readRedirect } from '../support/oauth.ts'
import { completePages, isLoginPage } from '../support/pages.ts'
import { newPerson } from '../support/person.ts'
import { type Fields, unique } from '../support/service.ts'

// The modules of the oidcc-basic-certification-test-plan for an existing session.
const client = await newClient(await newApplication(), 'WEB')
const someone = await newPerson()

describe('signing in again', () => {
  async function signInAgain(browser: Browser, extra: Fields) {
    const request = authorizationRequest(client, extra)
    const page = await authorize(browser, client, request)
    expect(await isLoginPage(page)).toBe(true)
    const { code } = readRedirect(await completePages(browser, page, someone))
    return redeemAndVerify(client, code, request.nonce)
  }

  test('oidcc-prompt-login: the page is shown to a signed-in person, and auth_time is later (T023)', async () => {
    const browser = await someone.signIn()
    const { claims: before } = await authorizeSilently(browser, client)
    await pause(1100)
    const { claims: after } = await signInAgain(browser, { prompt: 'login' })
    expect(after.sub).toBe(before.sub)
    expect(after.auth_time).toBeGreaterThan(before.auth_time)
  })

  test('oidcc-max-age-1: an older sign-in is not sufficient, and auth_time is recent (T023)', async () => {
    const browser = await someone.signIn()
    const { claims: before } = await authorizeSilently(browser, client)
    await pause(2100)
    const { claims: after } = await signInAgain(browser, { max_age: '1' })
    expect(after.auth_time).toBeGreaterThan(before.auth_time)
    expect(Math.abs(Date.now() / 1000 - after.auth_time)).toBeLessThan(60)
  })

  test('oidcc-max-age-10000: a sign-in within the hour is sufficient, and auth_time is unchanged (T023)', async () => {
    const browser = await someone.signIn()
    const { claims: before } = await authorizeSilently(browser, client)
    await pause(1100)
    const { claims: after } = await authorizeSilently(browser, client, { max_age: '10000' })
    expect(after.auth_time).toBe(before.auth_time)
  })
})

test('oidcc-prompt-none-not-logged-in: is an error redirect with state (T022)', async () => {
  const state = unique('state')
  const response = readRedirect(await authorize(openBrowser(), client, { prompt: 'none', state }))
  expect(response).toMatchObject({ error: 'login_required', state })
})

test('oidcc-prompt-none-logged-in: no page is shown, and sub and auth_time are the same (T022)', async () => {
  const browser = await someone.signIn()
  const { claims: before } = await authorizeSilently(browser, client)
  await pause(1100)
  const { claims: after } = await authorizeSilently(browser, client, { prompt: 'none' })
  expect([after.sub, after.auth_time]).toEqual([before.sub, before.auth_time])
})

test('oidcc-id-token-hint: with prompt=none for the same person no page is shown', async () => {
  const browser = await someone.signIn()
  const { tokens, claims } = await authorizeSilently(browser, client)
  const again = await authorizeSilently(browser, client, { prompt: 'none', id_token_hint: tokens.id_token })
  expect(again.claims.sub).toBe(claims.sub)
})

test('oidcc-id-token-hint: the hint of another person never gets tokens of this one', async () => {
  const { tokens } = await authorizeSilently(await someone.signIn(), client)
  const other = await (await newPerson()).signIn()
  const request = { prompt: 'none', id_token_hint: tokens.id_token }
  expect(readRedirect(await authorize(other, client, request)).error).toMatch(/_required$/)
})
