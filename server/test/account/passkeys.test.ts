import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { hashSecret } from '../../src/lib/secrets.ts'
import { sweepPasskeyChallenges } from '../../src/users/passkeys/challenges.ts'
import { newAuthenticator } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { claimsOf, PASSWORD, startDemoService } from '../support/world.ts'
import { beginEnrollment, createPasskey, enroll, PASSKEYS } from './passkey-calls.ts'
import { call, createSignedInUser, entriesOf, errorReply, listMailTo, logIn, type TestUser } from './people.ts'

const MINUTE_MS = 60_000

let service: TestService
let origin: string
beforeAll(async () => {
  service = await startDemoService()
  origin = service.ctx.config.baseUrl
})
afterAll(() => service?.close())

const amrOf = async ({ tokens }: TestUser) => {
  const session = await service.ctx.db
    .selectFrom('sessions')
    .select('amr')
    .where('id', '=', String(claimsOf(tokens.access_token).sid))
    .executeTakeFirstOrThrow()
  return session.amr
}

describe('adding a passkey', () => {
  test('the creation options name the service, the person and their existing passkeys', async () => {
    const somebody = await createSignedInUser(service, { display_name: 'Somebody Else' })
    const known = await createPasskey(service, somebody)
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
      timeout: 5 * MINUTE_MS,
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

  test('the database stores only a hash of the challenge', async () => {
    const { challenge } = await beginEnrollment(await createSignedInUser(service))
    const kept = await service.ctx.db.selectFrom('passkey_challenges').select('hash').execute()
    expect(kept.some(({ hash }) => hash.equals(hashSecret(challenge)))).toBe(true)
  })

  test('the first returns recovery codes, and is mailed and audited; the next returns no codes', async () => {
    const somebody = await createSignedInUser(service)
    const first = await enroll(somebody, newAuthenticator(origin), { name: '  Blue key ' })
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
    const second = await enroll(somebody, newAuthenticator(origin), { twist: { backedUp: true } })
    expect(second.body).toEqual({
      ...first.body,
      id: second.body.id,
      name: 'Passkey',
      backedUp: true,
      createdAt: expect.any(String),
      recoveryCodes: undefined,
    })
    const mails = await listMailTo(service, somebody.email)
    expect(mails.filter(({ subject }) => subject === 'A passkey was added')).toHaveLength(2)
    const entries = (await entriesOf(service, somebody.id)).filter(({ action }) => action === 'user.passkey_added')
    expect(entries[0]).toMatchObject({
      actor_id: somebody.id,
      details: { passkeyId: first.body.id, backedUp: false },
      personal: { name: 'Blue key' },
    })
    const { body } = await somebody.call('GET', PASSKEYS)
    const { recoveryCodes: _, ...shown } = first.body
    expect(body).toEqual({ passkeys: [shown, second.body] })
  })

  test('the session counts as authenticated with a second factor', async () => {
    const somebody = await createSignedInUser(service)
    await createPasskey(service, somebody)
    expect(await amrOf(somebody)).toEqual(expect.arrayContaining(['pwd', 'pop', 'mfa']))
  })

  test('a passkey without a name is named after the device', async () => {
    const somebody = await createSignedInUser(service)
    const made = newAuthenticator(origin).create(await beginEnrollment(somebody))
    const headers = {
      authorization: `Bearer ${somebody.tokens.access_token}`,
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)',
    }
    const { body } = await call(service.url + PASSKEYS, { method: 'POST', body: made, headers })
    expect(body.name).toBe('Passkey on Windows')
  })

  test('the name after the device has only characters that a chosen name may have', async () => {
    const somebody = await createSignedInUser(service)
    const headers = {
      authorization: `Bearer ${somebody.tokens.access_token}`,
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)',
      'latchkey-language': 'ar',
    }
    const make = async (name?: string) => {
      const body = { ...newAuthenticator(origin).create(await beginEnrollment(somebody)), name }
      return call(service.url + PASSKEYS, { method: 'POST', body, headers })
    }
    const { body } = await make()
    expect(body.name).toMatch(/ Windows$/)
    expect((await make(String(body.name))).status).toBe(201)
  })

  test('requires a sign-in of the last hour, or the password', async () => {
    const somebody = await createSignedInUser(service)
    await service.ctx.db
      .updateTable('sessions')
      .set({ auth_time: new Date(Date.now() - 61 * MINUTE_MS) })
      .where('user_id', '=', somebody.id)
      .execute()
    const options = (body?: object) => somebody.call('POST', `${PASSKEYS}/options`, body)
    expect(await options()).toMatchObject(errorReply(403, 'REAUTHENTICATION_REQUIRED'))
    expect(await options({ password: 'wrong' })).toMatchObject(errorReply(403, 'REAUTHENTICATION_REQUIRED'))
    expect((await options({ password: PASSWORD })).status).toBe(200)
  })

  test('nobody has more than twenty, also with concurrent requests', async () => {
    const somebody = await createSignedInUser(service)
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
    for (let i = 0; i < 5; i++) made.push(newAuthenticator(origin).create(await beginEnrollment(somebody)))
    await service.ctx.db.insertInto('passkeys').values(rows).execute()
    // A session with passkeys must have used one.
    const { db } = service.ctx
    await db
      .updateTable('sessions')
      .set({ amr: ['pop', 'mfa'] })
      .where('user_id', '=', somebody.id)
      .execute()
    const answers = await Promise.all(made.map((body) => somebody.call('POST', PASSKEYS, body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422])
    const refused = await somebody.call('POST', `${PASSKEYS}/options`, { password: PASSWORD })
    expect(refused).toMatchObject(errorReply(422, 'VALIDATION_FAILED'))
    expect(refused.body.message).toContain('20 passkeys')
  })
})

describe('removing a passkey', () => {
  test('works without a body, notifies the person, and disables the second step with the last passkey', async () => {
    const somebody = await createSignedInUser(service)
    const [one, two, three] = [
      await createPasskey(service, somebody),
      await createPasskey(service, somebody),
      await createPasskey(service, somebody),
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
    const mails = await listMailTo(service, somebody.email)
    expect(mails.filter(({ subject }) => subject === 'A passkey was removed')).toHaveLength(3)
    const entries = await entriesOf(service, somebody.id)
    expect(entries.filter(({ action }) => action === 'user.passkey_removed')).toHaveLength(3)
  })
})

test('expired challenges are swept', async () => {
  await beginEnrollment(await createSignedInUser(service))
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
  service.advance(6 * MINUTE_MS)
  await sweepPasskeyChallenges.run(service.ctx, {} as never)
  expect(await count()).toBe(0)
  service.advance(-6 * MINUTE_MS)
})
