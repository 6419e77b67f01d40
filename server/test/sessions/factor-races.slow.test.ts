import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPasskey, PASSKEYS } from '../account/passkey-calls.ts'
import { createSignedInUser, errorReply, logIn, type TestUser } from '../account/people.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { addMember, authorize, cookieOf, PASSWORD } from '../support/world.ts'
import { interfereWith, runTogether, sendCode, sessionsOf, setUpTotp, startRaces } from './race-helpers.ts'

// A user without a second factor must never count as having shown one.

let service: TestService
let url: string
beforeAll(async () => {
  service = await startRaces()
  url = service.url
})
afterAll(() => service?.close())

/** Checks that no session and no leftover recovery code counts as a second factor. */
async function expectNoFactor(ann: TestUser, codes: string[]): Promise<void> {
  expect((await sessionsOf(service, ann)).filter(({ amr }) => amr.includes('mfa'))).toEqual([])
  expect((await ann.call('GET', '/api/users/me/mfa')).body).toEqual({
    mfaEnabled: false,
    totp: false,
    passkeys: 0,
    recoveryCodesLeft: 0,
  })
  const cookie = cookieOf(await logIn(url, ann.email, PASSWORD))
  for (const code of codes.slice(0, 1)) expect((await sendCode(service, cookie, code)).status).toBe(400)
  expect((await authorize(url, cookie, { tenant: 'acme' })).location).toMatch(/^\/mfa\/setup/)
}

const REMOVED = { password: PASSWORD }
const removeApp = (ann: TestUser) => ann.call('DELETE', '/api/users/me/mfa/totp', REMOVED)

describe('when the last two second factors are removed concurrently', () => {
  const removals = async (ann: TestUser) => {
    await addMember(service, ann.email, 'acme')
    const { codes } = await setUpTotp(service, ann)
    const { passkeyId } = await createPasskey(service, ann)
    const removeKey = () => ann.call('DELETE', `${PASSKEYS}/${passkeyId}`, REMOVED)
    return { codes, removals: [() => removeApp(ann), removeKey] as const }
  }

  test.each([0, 1])('no factor remains, in either order (%i)', async (turn) => {
    const ann = await createSignedInUser(service)
    const { codes, removals: both } = await removals(ann)
    const answers = await runTogether(service, [both[turn as 0 | 1], both[(1 - turn) as 0 | 1]])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    await expectNoFactor(ann, codes)
  })

  test('no factor remains, whatever the timing', async () => {
    for (const round of rounds(20)) {
      const ann = await createSignedInUser(service)
      const { codes, removals: both } = await removals(ann)
      const app = both[0]()
      await sleep(round * 4)
      const answers = await Promise.all([app, both[1]()])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      await expectNoFactor(ann, codes)
    }
  })
})

describe('a recovery code is not accepted without another second factor:', () => {
  const replaceCodes = (ann: TestUser) => ann.call('POST', '/api/users/me/mfa/recovery-codes', REMOVED)

  test.each(['replaced', 'removed'])(
    'codes created while the app is removed, with the %s request first',
    async (first) => {
      const ann = await createSignedInUser(service)
      await addMember(service, ann.email, 'acme')
      await setUpTotp(service, ann)
      const both = [() => replaceCodes(ann), () => removeApp(ann)] as const
      const [one, other] = first === 'replaced' ? both : ([both[1], both[0]] as const)
      const answers = await runTogether(service, [one, other])
      const codes = answers.flatMap(({ body }) => (body.recoveryCodes ?? []) as string[])
      expect(answers.map(({ status }) => status)).toEqual(first === 'replaced' ? [200, 200] : [200, 404])
      await expectNoFactor(ann, codes)
    },
  )

  test('a code sent while the app is removed', async () => {
    const ann = await createSignedInUser(service)
    await addMember(service, ann.email, 'acme')
    const { codes } = await setUpTotp(service, ann)
    const half = cookieOf(await logIn(url, ann.email, PASSWORD))
    const answer = await interfereWith(service, 'code', {
      attempt: (right) => sendCode(service, half, right ? (codes[0] ?? '') : 'wrong-code'),
      interfere: async () => expect((await removeApp(ann)).status).toBe(200),
    })
    expect(answer).toMatchObject(errorReply(401, 'INVALID_CREDENTIALS'))
    await expectNoFactor(ann, codes)
  })
})
