import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPasskey } from '../account/passkey-calls.ts'
import { call, createSignedInUser, logIn } from '../account/people.ts'
import { newAuthenticator, type RequestOptions } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, PASSWORD, startDemoService } from '../support/world.ts'
import { BY_REQUEST, BY_SYSTEM, captureEntries, captureEntry } from './entries.ts'

let service: TestService
let url: string
beforeAll(async () => {
  const limits = { signInFailures: 3, confirmFailures: 3, clientFailures: 10 }
  service = await startDemoService({ config: { trustedProxies: ['127.0.0.1'], limits } })
  url = service.url
})
afterAll(() => service?.close())

describe('a refused passkey', () => {
  const post = async (path: string, body: unknown = {}, headers = {}) =>
    call(`${url}/api/auth/passkey${path}`, { method: 'POST', body, headers })
  const ask = async (cookie = '') => (await post('/options', {}, { cookie })).body as unknown as RequestOptions

  test('records an entry with its owner', async () => {
    const somebody = await createSignedInUser(service)
    const passkey = await createPasskey(service, somebody)
    const response = passkey.get(await ask())
    const broken = { ...response, response: { ...response.response, signature: 'AAAA' } }
    const wrong = await captureEntry(service, () => post('', broken))
    expect(wrong).toMatchObject({
      action: 'session.refused',
      ...BY_SYSTEM,
      user_id: somebody.id,
      ...BY_REQUEST,
      details: { reason: 'wrong_passkey', method: 'passkey' },
    })
    const stranger = newAuthenticator(service.ctx.config.baseUrl)
    stranger.create({ ...(await ask()), user: { id: 'AAAA' }, rp: { id: '127.0.0.1' } } as never)
    const nobodys = await captureEntry(service, async () => post('', stranger.get(await ask())))
    expect(nobodys).toMatchObject({ user_id: null, details: { reason: 'unknown_passkey' } })

    await service.ctx.db.updateTable('users').set({ disabled: true }).where('id', '=', somebody.id).execute()
    const disabled = await captureEntry(service, async () => post('', passkey.get(await ask())))
    expect(disabled).toMatchObject({ user_id: somebody.id, details: { reason: 'disabled' } })
    // Responses without a challenge are rate limited, too.
    const made = await captureEntries(service, async () => {
      for (let count = 0; count < 5; count++) await post('', response)
    })
    expect(made.map(({ details }) => details.reason)).toEqual(['unknown_challenge'])
  })

  test('as a second factor is recorded as such', async () => {
    const [owner, other] = [await createSignedInUser(service), await createSignedInUser(service)]
    await createPasskey(service, owner)
    const foreign = await createPasskey(service, other)
    const cookie = cookieOf(await logIn(url, owner.email, PASSWORD))
    const entry = await captureEntry(service, async () => post('', foreign.get(await ask(cookie)), { cookie }))
    expect(entry).toMatchObject({
      action: 'session.second_factor_refused',
      user_id: owner.id,
      details: { reason: 'foreign_passkey', method: 'passkey' },
    })
  })
})
