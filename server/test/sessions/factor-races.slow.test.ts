import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newPasskey, PASSKEYS } from '../account/passkey-calls.ts'
import { failure, logIn, newSomebody, type Somebody } from '../account/people.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { authorize, cookieOf, join, PASSWORD } from '../support/world.ts'
import { answerCode, meanwhile, protect, sessionsOf, startRaces, together } from './racing.ts'

// Whoever has lost the last second factor passes for nobody who has shown one.

let service: TestService
let url: string
beforeAll(async () => {
  service = await startRaces()
  url = service.url
})
afterAll(() => service?.close())

/** Neither in a session nor by a code left over does anybody pass for having shown a second factor. */
async function expectNoFactor(ann: Somebody, codes: string[]): Promise<void> {
  expect((await sessionsOf(service, ann)).filter(({ amr }) => amr.includes('mfa'))).toEqual([])
  expect((await ann.call('GET', '/api/users/me/mfa')).body).toEqual({
    ...{ mfaEnabled: false, totp: false, passkeys: 0, recoveryCodesLeft: 0 },
  })
  const cookie = cookieOf(await logIn(url, ann.email, PASSWORD))
  for (const code of codes.slice(0, 1)) expect((await answerCode(service, cookie, code)).status).toBe(400)
  expect((await authorize(url, cookie, { tenant: 'acme' })).location).toMatch(/^\/mfa\/setup/)
}

const REMOVED = { password: PASSWORD }
const removeApp = (ann: Somebody) => ann.call('DELETE', '/api/users/me/mfa/totp', REMOVED)

describe('of the last two second factors, removed at once,', () => {
  const removals = async (ann: Somebody) => {
    await join(service, ann.email, 'acme')
    const { codes } = await protect(service, ann)
    const { passkeyId } = await newPasskey(service, ann)
    const removeKey = () => ann.call('DELETE', `${PASSKEYS}/${passkeyId}`, REMOVED)
    return { codes, removals: [() => removeApp(ann), removeKey] as const }
  }

  test.each([0, 1])('nothing is left, whichever comes first (%i)', async (turn) => {
    const ann = await newSomebody(service)
    const { codes, removals: both } = await removals(ann)
    const answers = await together(service, [both[turn as 0 | 1], both[(1 - turn) as 0 | 1]])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    await expectNoFactor(ann, codes)
  })

  test('nothing is left, however far the first one has come', async () => {
    for (const round of rounds(20)) {
      const ann = await newSomebody(service)
      const { codes, removals: both } = await removals(ann)
      const app = both[0]()
      await sleep(round * 4)
      const answers = await Promise.all([app, both[1]()])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      await expectNoFactor(ann, codes)
    }
  })
})

describe('a recovery code never stands in for a second factor that is gone:', () => {
  const replaceCodes = (ann: Somebody) => ann.call('POST', '/api/users/me/mfa/recovery-codes', REMOVED)

  test.each(['replaced', 'removed'])(
    'codes made while the app goes, what is %s coming first',
    async (first) => {
      const ann = await newSomebody(service)
      await join(service, ann.email, 'acme')
      await protect(service, ann)
      const both = [() => replaceCodes(ann), () => removeApp(ann)] as const
      const [one, other] = first === 'replaced' ? both : ([both[1], both[0]] as const)
      const answers = await together(service, [one, other])
      const codes = answers.flatMap(({ body }) => (body.recoveryCodes ?? []) as string[])
      expect(answers.map(({ status }) => status)).toEqual(first === 'replaced' ? [200, 200] : [200, 404])
      await expectNoFactor(ann, codes)
    },
  )

  test('a code shown at the moment at which the app goes', async () => {
    const ann = await newSomebody(service)
    await join(service, ann.email, 'acme')
    const { codes } = await protect(service, ann)
    const half = cookieOf(await logIn(url, ann.email, PASSWORD))
    const answer = await meanwhile(service, 'code', {
      show: (right) => answerCode(service, half, right ? (codes[0] ?? '') : 'wrong-code'),
      happen: async () => expect((await removeApp(ann)).status).toBe(200),
    })
    expect(answer).toMatchObject(failure(401, 'INVALID_CREDENTIALS'))
    await expectNoFactor(ann, codes)
  })
})
