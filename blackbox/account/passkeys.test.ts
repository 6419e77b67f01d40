import { describe, expect, test } from 'vitest'
import type { Twist } from '../../server/test/support/authenticator.ts'
import { callAs, client, newConfirmedHolder, newHolder } from '../support/account.ts'
import { addApp } from '../support/authenticator-app.ts'
import { openBrowser } from '../support/browser.ts'
import { expectClosed, intruders, refusal } from '../support/calls.ts'
import { awaitMail, mailTo } from '../support/mail.ts'
import { getTokens, type Tokens } from '../support/oauth.ts'
import { add, begin, newDevice, newPasskey, PASSKEYS, show } from '../support/passkeys.ts'
import { newPerson } from '../support/person.ts'
import { base } from '../support/service.ts'
import { signedIn, TIMESTAMP, UUID } from '../support/sign-in.ts'

const INVALID = refusal(400, 'INVALID_PASSKEY')
const AT = expect.stringMatching(TIMESTAMP)
const strangers = await intruders(await newPerson())

const list = async (tokens: Tokens) => (await callAs(tokens, 'GET', PASSKEYS)).body
const overview = async (tokens: Tokens) => (await callAs(tokens, 'GET', '/api/users/me/mfa')).body
const subjects = async (email: string) => (await mailTo(email)).map(({ subject }) => subject)

describe('adding a passkey', () => {
  test('what the browser is given names the service, the person and the passkeys they have', async () => {
    const { person, tokens } = await newConfirmedHolder()
    const { device } = await newPasskey(tokens)
    const { sub } = JSON.parse(Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString())
    const { status, body } = await callAs(tokens, 'POST', `${PASSKEYS}/options`, {
      password: tokens.password,
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      rp: { id: new URL(base).hostname, name: expect.any(String) },
      user: {
        id: Buffer.from(sub).toString('base64url'),
        name: person.email,
        displayName: 'Sam Someone',
      },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ alg, type: 'public-key' })),
      timeout: 300_000,
      excludeCredentials: [{ id: device.id, type: 'public-key', transports: ['internal'] }],
      authenticatorSelection: {
        residentKey: 'preferred',
        requireResidentKey: false,
        userVerification: 'preferred',
      },
      attestation: 'none',
      extensions: { credProps: true },
    })
  })

  test('the first comes with recovery codes and makes a second step; the next comes without', async () => {
    const { person, tokens } = await newConfirmedHolder()
    expect(await list(tokens)).toEqual({ passkeys: [] })
    const first = await add(tokens, newDevice(), { name: ' Blue key ' })
    expect(first.status).toBe(201)
    const { recoveryCodes, ...blue } = first.body
    expect(blue).toEqual({
      id: expect.stringMatching(UUID),
      name: 'Blue key',
      createdAt: AT,
      lastUsedAt: null,
      backedUp: false,
    })
    expect(new Set(recoveryCodes as string[]).size).toBe(10)
    const second = await add(tokens, newDevice(), { twist: { backedUp: true } })
    expect(second.status).toBe(201)
    expect(second.body).toEqual({
      id: expect.stringMatching(UUID),
      name: expect.stringMatching(/\S/),
      createdAt: AT,
      lastUsedAt: null,
      backedUp: true,
    })
    expect(await list(tokens)).toEqual({ passkeys: [blue, second.body] })
    expect(await overview(tokens)).toEqual({
      ...{ mfaEnabled: true, totp: false, passkeys: 2, recoveryCodesLeft: 10 },
    })
    expect((await callAs(tokens, 'GET', '/api/users/me')).body.mfaEnabled).toBe(true)
    expect(
      (await subjects(person.email)).filter((subject) => subject === 'A passkey was added'),
    ).toHaveLength(2)
  })

  test('beside an authenticator app, each counts for itself', async () => {
    const { tokens } = await newConfirmedHolder()
    const { recoveryCodes } = await addApp(tokens)
    const passkey = await newPasskey(tokens)
    expect(recoveryCodes).toHaveLength(10)
    expect(passkey.recoveryCodes).toEqual([])
    expect(await overview(tokens)).toEqual({
      ...{ mfaEnabled: true, totp: true, passkeys: 1, recoveryCodesLeft: 10 },
    })
  })

  test('when it was last used is shown', async () => {
    const { person, tokens } = await newConfirmedHolder()
    const { device } = await newPasskey(tokens)
    const before = Date.now()
    expect((await show(openBrowser(), device)).body).toEqual(signedIn(person.email, { emailVerified: true }))
    const { passkeys } = (await list(tokens)) as { passkeys: { lastUsedAt: string }[] }
    expect(passkeys[0]?.lastUsedAt).toEqual(AT)
    expect(Date.parse(passkeys[0]?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(before - 1000)
  })

  test('takes a confirmed address', async () => {
    const { tokens } = await newHolder()
    expect((await callAs(tokens, 'POST', `${PASSKEYS}/options`, { password: tokens.password })).body).toEqual(
      refusal(403, 'EMAIL_NOT_VERIFIED'),
    )
  })

  test('who has a second factor shows it before another is added or removed', async () => {
    const { person, tokens } = await newConfirmedHolder()
    const older = await getTokens(await person.signIn(), client)
    const { id } = await newPasskey(tokens)
    const { password } = person
    for (const [method, path] of [
      ['POST', `${PASSKEYS}/options`],
      ['DELETE', `${PASSKEYS}/${id}`],
    ] as const) {
      expect((await callAs(older, method, path, { password })).body, path).toEqual(
        refusal(403, 'REAUTHENTICATION_REQUIRED'),
      )
    }
    expect(await overview(tokens)).toMatchObject({ passkeys: 1 })
  })
})

describe('a passkey is refused', () => {
  const holder = newConfirmedHolder()

  test.each<[string, Twist]>([
    ['made for another origin', { origin: 'https://evil.test' }],
    ['made for another service', { rpId: 'evil.test' }],
    ['that answers no question of ours', { challenge: 'A'.repeat(43) }],
    ['that signed in instead', { type: 'webauthn.get' }],
    ['made inside a page of another site', { crossOrigin: true }],
    ['made without anybody there', { present: false }],
    ['without a key', { key: Buffer.alloc(0) }],
  ])('%s', async (_, twist) => {
    const { tokens } = await holder
    const { status, body } = await add(tokens, newDevice(), { twist })
    expect(status).toBe(400)
    expect(body).toEqual(INVALID)
    expect(await list(tokens)).toEqual({ passkeys: [] })
  })

  test('that answers a question twice, or one that was put to somebody else', async () => {
    const [{ tokens }, { tokens: theirs }] = [await newConfirmedHolder(), await newConfirmedHolder()]
    const question = await begin(tokens)
    const made = newDevice().create(question)
    expect((await callAs(theirs, 'POST', PASSKEYS, made)).body).toEqual(INVALID)
    expect((await callAs(tokens, 'POST', PASSKEYS, made)).status).toBe(201)
    expect((await callAs(tokens, 'POST', PASSKEYS, newDevice().create(question))).body).toEqual(INVALID)
  })

  test('that is somebody’s already', async () => {
    const [{ tokens }, { tokens: theirs }] = [await newConfirmedHolder(), await newConfirmedHolder()]
    const { device } = await newPasskey(theirs)
    expect((await add(tokens, device)).body).toEqual(INVALID)
    expect((await add(theirs, device)).body).toEqual(INVALID)
    expect(await overview(theirs)).toMatchObject({ passkeys: 1 })
  })

  test('with fields that are missing or absurd, and they are named', async () => {
    const { tokens } = await holder
    const made = newDevice().create(await begin(tokens))
    const unfit: [object, string][] = [
      [{ ...made, id: undefined }, 'id'],
      [{ ...made, type: 'password' }, 'type'],
      [{ ...made, name: '  ' }, 'name'],
      [{ ...made, name: 'x'.repeat(101) }, 'name'],
      [{ ...made, name: 'Sign in at evil.test/login' }, 'name'],
      [{ ...made, response: { ...made.response, clientDataJSON: 5 } }, 'response.clientDataJSON'],
    ]
    for (const [body, field] of unfit) {
      expect((await callAs(tokens, 'POST', PASSKEYS, body)).body).toEqual(
        refusal(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }),
      )
    }
  })
})

test('T110: the mail that tells of a passkey quotes its name, and makes no link of it', async () => {
  const { person, tokens } = await newConfirmedHolder()
  await add(tokens, newDevice(), { name: 'Go to evil.test' })
  const { text } = await awaitMail(person.email, 'A passkey was added')
  expect(text).toContain('Passkey: "Go to evil.\u200btest"')
})

describe('removing a passkey', () => {
  test('works once, tells the person, and with the last the second step goes', async () => {
    const { person, tokens } = await newConfirmedHolder()
    const [one, other] = [await newPasskey(tokens), await newPasskey(tokens)]
    const remove = (id: string) => callAs(tokens, 'DELETE', `${PASSKEYS}/${id}`)
    const { status, body } = await remove(one.id)
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: expect.any(String) })
    expect((await remove(one.id)).body).toEqual(refusal(404, 'PASSKEY_NOT_FOUND'))
    expect(await list(tokens)).toMatchObject({ passkeys: [{ id: other.id }] })
    expect((await show(openBrowser(), one.device)).status).toBe(401)
    expect((await remove(other.id)).status).toBe(200)
    expect(await overview(tokens)).toMatchObject({ mfaEnabled: false, passkeys: 0 })
    expect(await (await (await person.signIn()).get('/api/users/me')).json()).toMatchObject({
      mfaEnabled: false,
    })
    expect(
      (await subjects(person.email)).filter((subject) => subject === 'A passkey was removed'),
    ).toHaveLength(2)
  })

  test('nobody removes, or finds, what is not theirs', async () => {
    const [{ tokens }, { tokens: stranger }] = [await newConfirmedHolder(), await newConfirmedHolder()]
    const { id } = await newPasskey(tokens)
    for (const tried of [id, '018f0000-0000-7000-8000-000000000000', 'rubbish', '%F0%9F%94%91']) {
      const { status, body } = await callAs(stranger, 'DELETE', `${PASSKEYS}/${tried}`, {
        password: stranger.password,
      })
      expect(status, tried).toBe(404)
      expect(body, tried).toEqual(refusal(404, 'PASSKEY_NOT_FOUND'))
    }
    expect(
      (await callAs(stranger, 'DELETE', `${PASSKEYS}/%00`, { password: stranger.password })).status,
    ).toBe(404)
    expect(await overview(tokens)).toMatchObject({ passkeys: 1 })
  })
})

test.each<[string, string, object | undefined]>([
  ['GET', PASSKEYS, undefined],
  ['POST', `${PASSKEYS}/options`, {}],
  ['POST', PASSKEYS, newDevice().create({ challenge: 'x', user: { id: 'x' }, rp: { id: 'x' } })],
  ['DELETE', `${PASSKEYS}/018f0000-0000-7000-8000-000000000000`, {}],
])('%s %s lets in no stranger, no machine and no third party', async (method, path, body) => {
  await expectClosed(strangers, { method, path, body })
})
