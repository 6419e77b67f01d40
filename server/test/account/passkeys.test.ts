import { randomBytes } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { hashSecret } from '../../src/lib/secrets.ts'
import { sweepPasskeyChallenges } from '../../src/users/passkeys/challenges.ts'
import { newAuthenticator, type Twist } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { claimsOf, PASSWORD, startWorld } from '../support/world.ts'
import { begin, enrol, newPasskey, PASSKEYS } from './passkey-calls.ts'
import { call, entriesOf, failure, logIn, mailTo, newSomebody, type Somebody } from './people.ts'

const MINUTE = 60_000

let service: TestService
let origin: string
beforeAll(async () => {
  service = await startWorld()
  origin = service.ctx.config.baseUrl
})
afterAll(() => service?.close())

const amrOf = async ({ tokens }: Somebody) => {
  const session = await service.ctx.db
    .selectFrom('sessions')
    .select('amr')
    .where('id', '=', String(claimsOf(tokens.access_token).sid))
    .executeTakeFirstOrThrow()
  return session.amr
}

describe('adding a passkey', () => {
  test('what the browser is given names the service, the person and the passkeys they have', async () => {
    const somebody = await newSomebody(service, { display_name: 'Somebody Else' })
    const known = await newPasskey(service, somebody)
    const { status, body } = await somebody.call('POST', `${PASSKEYS}/options`, { password: PASSWORD })
    expect(status).toBe(200)
    expect(body).toEqual({
      rp: { id: '127.0.0.1', name: 'Latchkey' },
      user: {
        id: Buffer.from(somebody.id).toString('base64url'),
        name: somebody.email,
        displayName: 'Somebody Else',
      },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ alg, type: 'public-key' })),
      timeout: 5 * MINUTE,
      excludeCredentials: [{ id: known.id, type: 'public-key', transports: ['internal'] }],
      authenticatorSelection: {
        residentKey: 'preferred',
        requireResidentKey: false,
        userVerification: 'preferred',
      },
      attestation: 'none',
      extensions: { credProps: true },
    })
  })

  test('the database holds a hash of the challenge only', async () => {
    const { challenge } = await begin(await newSomebody(service))
    const kept = await service.ctx.db.selectFrom('passkey_challenges').select('hash').execute()
    expect(kept.some(({ hash }) => hash.equals(hashSecret(challenge)))).toBe(true)
  })

  test('the first comes with recovery codes, a mail and an entry in the log; the next without codes', async () => {
    const somebody = await newSomebody(service)
    const first = await enrol(somebody, newAuthenticator(origin), { name: '  Blue key ' })
    expect(first.status).toBe(201)
    expect(first.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Blue key',
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: null,
      backedUp: false,
      recoveryCodes: expect.any(Array),
    })
    expect(new Set(first.body.recoveryCodes as string[]).size).toBe(10)
    const second = await enrol(somebody, newAuthenticator(origin), { twist: { backedUp: true } })
    expect(second.body).toEqual({
      ...first.body,
      id: second.body.id,
      name: 'Passkey',
      backedUp: true,
      createdAt: expect.any(String),
      recoveryCodes: undefined,
    })
    const mails = await mailTo(service, somebody.email)
    expect(mails.filter(({ subject }) => subject === 'A passkey was added')).toHaveLength(2)
    const entries = (await entriesOf(service, somebody.id)).filter(
      ({ action }) => action === 'user.passkey_added',
    )
    expect(entries[0]).toMatchObject({
      actor_id: somebody.id,
      details: { passkeyId: first.body.id, backedUp: false },
      personal: { name: 'Blue key' },
    })
    const { body } = await somebody.call('GET', PASSKEYS)
    const { recoveryCodes: _, ...shown } = first.body
    expect(body).toEqual({ passkeys: [shown, second.body] })
  })

  test('the session counts as one in which a second factor was shown', async () => {
    const somebody = await newSomebody(service)
    await newPasskey(service, somebody)
    expect(await amrOf(somebody)).toEqual(expect.arrayContaining(['pwd', 'pop', 'mfa']))
  })

  test('one without a name is called after the device', async () => {
    const somebody = await newSomebody(service)
    const made = newAuthenticator(origin).create(await begin(somebody))
    const headers = {
      authorization: `Bearer ${somebody.tokens.access_token}`,
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)',
    }
    const { body } = await call(service.url + PASSKEYS, { method: 'POST', body: made, headers })
    expect(body.name).toBe('Passkey on Windows')
  })

  test('it takes a sign-in of the last hour, or the password', async () => {
    const somebody = await newSomebody(service)
    await service.ctx.db
      .updateTable('sessions')
      .set({ auth_time: new Date(Date.now() - 61 * MINUTE) })
      .where('user_id', '=', somebody.id)
      .execute()
    const options = (body?: object) => somebody.call('POST', `${PASSKEYS}/options`, body)
    expect(await options()).toMatchObject(failure(403, 'REAUTHENTICATION_REQUIRED'))
    expect(await options({ password: 'wrong' })).toMatchObject(failure(403, 'REAUTHENTICATION_REQUIRED'))
    expect((await options({ password: PASSWORD })).status).toBe(200)
  })

  test('nobody has more than twenty, however many are added at once', async () => {
    const somebody = await newSomebody(service)
    const row = {
      user_id: somebody.id,
      public_key: Buffer.alloc(1),
      sign_count: 0,
      transports: [] as string[],
    }
    const rows = Array.from({ length: 18 }, () => ({
      ...row,
      id: newId(),
      credential_id: randomBytes(9).toString('base64url'),
      backed_up: false,
      name: 'Passkey',
      created_at: new Date(),
      last_used_at: null,
    }))
    const made: object[] = []
    for (let i = 0; i < 5; i++) made.push(newAuthenticator(origin).create(await begin(somebody)))
    await service.ctx.db.insertInto('passkeys').values(rows).execute()
    // Whoever has some has shown one.
    const { db } = service.ctx
    await db
      .updateTable('sessions')
      .set({ amr: ['pop', 'mfa'] })
      .where('user_id', '=', somebody.id)
      .execute()
    const answers = await Promise.all(made.map((body) => somebody.call('POST', PASSKEYS, body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422])
    const refused = await somebody.call('POST', `${PASSKEYS}/options`, { password: PASSWORD })
    expect(refused).toMatchObject(failure(422, 'VALIDATION_FAILED'))
    expect(refused.body.message).toContain('20 passkeys')
  })
})

describe('a passkey is refused', () => {
  let somebody: Somebody
  beforeAll(async () => {
    somebody = await newSomebody(service)
  })
  const invalid = failure(400, 'INVALID_PASSKEY')

  const EC_WITHOUT_Y = Buffer.from(
    isoCBOR.encode(
      new Map([
        [1, 2],
        [3, -7],
        [-1, 1],
      ]),
    ),
  )
  const OFF_THE_CURVE = Buffer.from(
    isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(32)],
        [-3, new Uint8Array(32)],
      ]),
    ),
  )
  const ES384 = Buffer.from(
    isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -35],
        [-1, 2],
        [-2, new Uint8Array(48)],
        [-3, new Uint8Array(48)],
      ]),
    ),
  )

  const without = (part: string) => (parts: Map<string, unknown>) => {
    parts.delete(part)
    return parts
  }
  const twists: Record<string, Twist> = {
    'with half a key': { key: EC_WITHOUT_Y },
    'with a key off the curve': { key: OFF_THE_CURVE },
    'with an algorithm that was not asked for': { key: ES384 },
    'with more after the key': { key: Buffer.concat([EC_WITHOUT_Y, Buffer.alloc(9)]) },
    'without authenticator data': { attestation: without('authData') },
    'with text for authenticator data': { attestation: (parts) => parts.set('authData', 'x'.repeat(200)) },
  }
  test.each(Object.entries(twists))('%s', async (_name, twist) => {
    expect(await enrol(somebody, newAuthenticator(origin), { twist })).toMatchObject(invalid)
  })

  test('that answers a challenge twice, late, or the challenge of somebody else', async () => {
    const options = await begin(somebody)
    const [one, other] = [newAuthenticator(origin), newAuthenticator(origin)]
    const spoilt = { ...one.create(options), id: other.id, rawId: other.id }
    expect(await somebody.call('POST', PASSKEYS, spoilt)).toMatchObject(invalid)
    expect(await somebody.call('POST', PASSKEYS, one.create(options))).toMatchObject(invalid)

    const stranger = await newSomebody(service)
    const theirs = newAuthenticator(origin).create(await begin(stranger))
    expect(await somebody.call('POST', PASSKEYS, theirs)).toMatchObject(invalid)
    expect((await stranger.call('POST', PASSKEYS, theirs)).status).toBe(201)

    const late = newAuthenticator(origin).create(await begin(stranger))
    service.advance(5 * MINUTE + 1)
    expect(await stranger.call('POST', PASSKEYS, late)).toMatchObject(invalid)
    service.advance(-5 * MINUTE - 1)
  })

  test('whatever rubbish it consists of, as the caller’s mistake', async () => {
    const sent: number[] = []
    for (let round = 0; round < 60; round++) {
      const made = newAuthenticator(origin).create(await begin(somebody))
      const bytes = Buffer.from(made.response.attestationObject, 'base64url')
      const cut = 1 + Math.floor((round / 60) * bytes.length)
      const broken = round % 2 ? bytes.subarray(0, cut) : Buffer.from(bytes).fill(round * 4, cut, cut + 3)
      const response = { ...made.response, attestationObject: broken.toString('base64url') }
      sent.push((await somebody.call('POST', PASSKEYS, { ...made, response })).status)
    }
    // A changed byte that nothing depends on may leave it a good passkey.
    expect(sent.filter((status) => status !== 400 && status !== 201)).toEqual([])
    expect(sent.filter((status) => status === 400).length).toBeGreaterThan(40)
  })

  test.each([
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['null', Buffer.from('null').toString('base64url')],
    ['a list', Buffer.from('[]').toString('base64url')],
    ['an object for a challenge', Buffer.from('{"challenge":{}}').toString('base64url')],
    ['no base64', '%%%%'],
    ['nothing', ''],
  ])('with client data that are %s', async (_name, clientDataJSON) => {
    const made = newAuthenticator(origin).create(await begin(somebody))
    const response = { ...made.response, clientDataJSON }
    expect(await somebody.call('POST', PASSKEYS, { ...made, response })).toMatchObject(invalid)
  })

  test('unread when it is absurdly long', async () => {
    const made = newAuthenticator(origin).create(await begin(somebody))
    for (const field of ['clientDataJSON', 'attestationObject']) {
      const response = { ...made.response, [field]: 'A'.repeat(900_000) }
      const answer = await somebody.call('POST', PASSKEYS, { ...made, response })
      expect(answer).toMatchObject(failure(422, 'VALIDATION_FAILED'))
    }
    const response = { ...made.response, transports: Array(50).fill('usb') }
    expect(
      (await somebody.call('POST', PASSKEYS, { ...made, response, name: ' ' })).body.details,
    ).toHaveLength(2)
  })
})

test('what is said about the maker of a passkey is not read, so that nobody makes us fetch anything', async () => {
  const somebody = await newSomebody(service)
  const attestation = (parts: Map<string, unknown>) =>
    parts.set('fmt', 'packed').set(
      'attStmt',
      new Map<string, unknown>([
        ['alg', -7],
        ['sig', new Uint8Array(70)],
        ['x5c', [new Uint8Array(400)]],
      ]),
    )
  expect((await enrol(somebody, newAuthenticator(origin), { twist: { attestation } })).status).toBe(201)
})

describe('removing a passkey', () => {
  test('works without a body, tells the person, and takes the second step away with the last', async () => {
    const somebody = await newSomebody(service)
    const [one, two, three] = [
      await newPasskey(service, somebody),
      await newPasskey(service, somebody),
      await newPasskey(service, somebody),
    ]
    const headers = { authorization: `Bearer ${somebody.tokens.access_token}` }
    const remove = (id: string, init: RequestInit = { headers }) =>
      fetch(`${service.url}${PASSKEYS}/${id}`, { method: 'DELETE', ...init })
    const typed = { ...headers, 'Content-Type': 'application/json' }
    expect(await (await remove(one.passkeyId)).json()).toEqual({ success: true, message: 'Passkey removed' })
    expect((await remove(two.passkeyId, { headers: typed })).status).toBe(200)
    expect(await (await logIn(service.url, somebody.email, PASSWORD)).json()).toMatchObject({
      mfaRequired: true,
      methods: ['passkey', 'recovery_code'],
    })
    const withBody = { headers: typed, body: JSON.stringify({ password: PASSWORD }) }
    expect((await remove(three.passkeyId, withBody)).status).toBe(200)
    expect(await (await logIn(service.url, somebody.email, PASSWORD)).json()).toHaveProperty('session')
    expect(await amrOf(somebody)).not.toContain('mfa')
    const mails = await mailTo(service, somebody.email)
    expect(mails.filter(({ subject }) => subject === 'A passkey was removed')).toHaveLength(3)
    const entries = await entriesOf(service, somebody.id)
    expect(entries.filter(({ action }) => action === 'user.passkey_removed')).toHaveLength(3)
  })
})

test('challenges that nobody answered are swept', async () => {
  await begin(await newSomebody(service))
  const count = async () =>
    Number(
      (
        await service.ctx.db
          .selectFrom('passkey_challenges')
          .select(({ fn }) => fn.countAll().as('n'))
          .executeTakeFirstOrThrow()
      ).n,
    )
  expect(await count()).toBeGreaterThan(0)
  service.advance(6 * MINUTE)
  await sweepPasskeyChallenges.run(service.ctx, {} as never)
  expect(await count()).toBe(0)
  service.advance(-6 * MINUTE)
})
