import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import {
  exchangeCode,
  getCode,
  getTokens,
  getUserinfo,
  introspectToken,
  refreshTokens,
  revokeToken,
} from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { rounds } from '../support/races.ts'
import type { ApiResponse } from '../support/service.ts'

// Concurrent requests with one credential. Every round uses new data and must end in an allowed outcome.
const CONCURRENCY = 20
const application = await newApplication()
const spa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
const someone = await newPerson()
const browser = await someone.signIn()

const sendConcurrently = <T>(act: () => Promise<T>) => Promise.all(Array.from({ length: CONCURRENCY }, act))

/** Splits the responses into granted and refused. Everything else than 200 and 400 invalid_grant fails. */
function filterGranted<Body>(responses: ApiResponse<Body>[]) {
  const granted = responses.filter(({ status }) => status === 200).map(({ body }) => body)
  for (const response of responses.filter(({ status }) => status !== 200)) {
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  }
  return granted
}

describe('one code', () => {
  test.each(rounds())('T034: 20 concurrent exchanges have exactly one 200, round %i', async () => {
    const code = await getCode(browser, spa, { scope: 'openid offline_access' })
    const granted = filterGranted(await sendConcurrently(() => exchangeCode(spa, code)))
    expect(granted).toHaveLength(1)
    // The others were replays by the same client, so the issued tokens are revoked in the end.
    const [tokens] = granted
    expect((await getUserinfo(tokens?.access_token ?? '')).status).toBe(401)
    expect(await refreshTokens(spa, tokens?.refresh_token ?? '')).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
  })
})

describe('one refresh token', () => {
  test.each(rounds())('T050: 20 concurrent refreshes have at most one 200 and no second branch, round %i', async () => {
    const { refresh_token } = await getTokens(browser, spa)
    const granted = filterGranted(await sendConcurrently(() => refreshTokens(spa, refresh_token)))
    expect(granted.length).toBeLessThanOrEqual(1)
    for (const tokens of granted) {
      expect((await introspectToken(web, tokens.refresh_token)).body).toEqual({ active: false })
      expect((await introspectToken(web, tokens.access_token)).body).toEqual({ active: false })
      expect((await refreshTokens(spa, tokens.refresh_token)).status).toBe(400)
    }
  })
})

describe('concurrent refresh and revocation', () => {
  test.each(rounds())('T050, T073: in any order no token is valid afterwards, round %i', async () => {
    const first = await getTokens(browser, spa)
    const [refreshed, revoked] = await Promise.all([
      refreshTokens(spa, first.refresh_token),
      revokeToken(spa, first.refresh_token),
    ])
    expect(revoked.status).toBe(200)
    const alive = [first, ...filterGranted([refreshed])]
    for (const { access_token, refresh_token } of alive) {
      expect((await introspectToken(web, access_token)).body).toEqual({ active: false })
      expect((await introspectToken(web, refresh_token)).body).toEqual({ active: false })
      expect((await refreshTokens(spa, refresh_token)).body.error).toBe('invalid_grant')
    }
  })
})
