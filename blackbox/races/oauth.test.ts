import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { exchange, getCode, getTokens, introspect, refresh, revoke, userinfo } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { rounds } from '../support/races.ts'
import type { Answer } from '../support/service.ts'

// What a thief and the owner do at the same moment. Every round starts fresh and must end in one right way.
const AT_ONCE = 20
const application = await newApplication()
const spa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
const someone = await newPerson()
const browser = await someone.signIn()

const atOnce = <T>(act: () => Promise<T>) => Promise.all(Array.from({ length: AT_ONCE }, act))

/** Splits the answers into granted and refused; anything but 200 or 400 invalid_grant is a wrong answer. */
function sort<Body>(answers: Answer<Body>[]) {
  const granted = answers.filter(({ status }) => status === 200).map(({ body }) => body)
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  }
  return granted
}

describe('one code', () => {
  test.each(rounds())('T034: 20 exchanges at once give exactly one 200, round %i', async () => {
    const code = await getCode(browser, spa, { scope: 'openid offline_access' })
    const granted = sort(await atOnce(() => exchange(spa, code)))
    expect(granted).toHaveLength(1)
    // The others were replays by the rightful client: what the one got is dead when all have been answered.
    const [tokens] = granted
    expect((await userinfo(tokens?.access_token ?? '')).status).toBe(401)
    expect(await refresh(spa, tokens?.refresh_token ?? '')).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
  })
})

describe('one refresh token', () => {
  test.each(rounds())(
    'T050: 20 refreshes at once give at most one 200 and no second branch, round %i',
    async () => {
      const { refresh_token } = await getTokens(browser, spa)
      const granted = sort(await atOnce(() => refresh(spa, refresh_token)))
      expect(granted.length).toBeLessThanOrEqual(1)
      for (const tokens of granted) {
        expect((await introspect(web, tokens.refresh_token)).body).toEqual({ active: false })
        expect((await introspect(web, tokens.access_token)).body).toEqual({ active: false })
        expect((await refresh(spa, tokens.refresh_token)).status).toBe(400)
      }
    },
  )
})

describe('refresh against revoke', () => {
  test.each(rounds())('T050, T073: whoever is first, nothing is alive afterwards, round %i', async () => {
    const first = await getTokens(browser, spa)
    const [refreshed, revoked] = await Promise.all([
      refresh(spa, first.refresh_token),
      revoke(spa, first.refresh_token),
    ])
    expect(revoked.status).toBe(200)
    const alive = [first, ...sort([refreshed])]
    for (const { access_token, refresh_token } of alive) {
      expect((await introspect(web, access_token)).body).toEqual({ active: false })
      expect((await introspect(web, refresh_token)).body).toEqual({ active: false })
      expect((await refresh(spa, refresh_token)).body.error).toBe('invalid_grant')
    }
  })
})
