import { expect, test } from 'vitest'
import { callAs, client, newConfirmedHolder, newHolder } from '../support/account.ts'
import { newApplication, newClient } from '../support/admin.ts'
import { addApp } from '../support/authenticator-app.ts'
import { expectClosed, intruders } from '../support/calls.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import { mailTo, tokenIn } from '../support/mail.ts'
import { authorize, getTokens, type Tokens } from '../support/oauth.ts'
import { goThrough } from '../support/pages.ts'
import { newPasskey } from '../support/passkeys.ts'
import { demoPerson, newPerson } from '../support/person.ts'
import { read } from '../support/service.ts'
import { sessionOf, TIMESTAMP, UUID } from '../support/sign-in.ts'
import { comeBackFrom, issuers, newPersonThere } from '../support/sso.ts'

const PATH = '/api/users/me/export'
const AT = expect.stringMatching(TIMESTAMP)
const ID = expect.stringMatching(UUID)

interface Entry {
  action: string
  by: string
  occurredAt: string
  personal: object
}

const take = (tokens: Tokens) => callAs(tokens, 'GET', PATH)
const entriesIn = (body: Record<string, unknown>) => body.auditEntries as Entry[]

const session = (id: unknown, methods: string[]) => ({
  id,
  userAgent: expect.any(String),
  ipAddress: expect.any(String),
  createdAt: AT,
  lastActive: AT,
  authenticatedAt: AT,
  methods,
})

test('everything that is kept about a new person comes in one file', async () => {
  const { person, tokens } = await newHolder()
  const { sub, sid } = await verifyAccessToken(tokens.access_token)
  const { status, headers, body } = await take(tokens)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.json"$/)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toEqual({
    exportedAt: AT,
    profile: {
      ...{ id: sub, email: person.email, emailVerified: false, username: null },
      ...{ displayName: 'Sam Someone', givenName: 'Sam', familyName: 'Someone', middleName: null },
      ...{ nickname: null, pictureUrl: null, website: null, gender: null, birthdate: null },
      ...{ zoneinfo: 'UTC', locale: 'en', phone: null, phoneVerified: false, mfaEnabled: false },
      ...{ createdAt: AT, updatedAt: AT },
    },
    memberships: [],
    sessions: [session(sid, ['pwd'])],
    ssoLinks: [],
    mfa: { totp: false, passkeys: [], recoveryCodesLeft: 0 },
    consents: [],
    licenses: [],
    auditEntries: expect.any(Array),
    auditEntriesTruncated: false,
  })
  for (const entry of entriesIn(body)) {
    expect(entry).toEqual({
      id: ID,
      occurredAt: AT,
      action: expect.stringMatching(/^[a-z]+\.[a-z_]+$/),
      by: 'you',
      tenantId: null,
      details: expect.any(Object),
      personal: expect.objectContaining({ ipAddress: expect.any(String), userAgent: expect.any(String) }),
    })
  }
  expect(entriesIn(body).map(({ action }) => action)).toEqual(['session.started', 'user.registered'])
  const again = entriesIn((await take(tokens)).body)
  expect(again.map(({ action }) => action)).toContain('user.data_exported')
  const times = again.map(({ occurredAt }) => occurredAt)
  expect(times).toEqual([...times].sort().reverse())
})

test('what a person has beside their password is in it', async () => {
  const { person, tokens } = await newConfirmedHolder()
  const { app } = await addApp(tokens)
  const passkey = await newPasskey(tokens)
  const browser = await person.signIn()
  await browser.postJson('/api/auth/mfa', { code: await app.nextCode() })
  const thirdParty = await newClient(await newApplication({ trusted: false }), 'SPA')
  await goThrough(browser, await authorize(browser, thirdParty, { scope: 'openid email' }), person)
  const { body } = await take(tokens)
  expect(body).toMatchObject({ profile: { emailVerified: true, mfaEnabled: true } })
  expect(body.sessions).toEqual([
    session(ID, expect.arrayContaining(['pwd', 'otp', 'pop', 'mfa']) as never),
    session(ID, ['pwd', 'otp', 'mfa']),
  ])
  expect(body.mfa).toEqual({
    totp: true,
    passkeys: [{ id: passkey.id, name: expect.any(String), createdAt: AT, lastUsedAt: null }],
    recoveryCodesLeft: 10,
  })
  expect(body.consents).toEqual([
    {
      application: 'A black-box application',
      tenant: null,
      scopes: expect.arrayContaining(['openid', 'email']),
      grantedAt: AT,
    },
  ])
})

test('the tenants of a person are in it', async () => {
  const mia = await getTokens(await demoPerson('mia@acme.test').signIn(), client)
  expect((await take(mia)).body.memberships).toContainEqual({
    ...{ tenantId: ID, tenantName: 'Acme', tenantSlug: 'acme', role: 'member', status: 'ACTIVE' },
  })
})

test.skipIf(!issuers.google)('the accounts elsewhere that open it are in it', async () => {
  const { person } = await newConfirmedHolder()
  const browser = await person.signIn()
  const tokens = await getTokens(browser, client)
  const there = newPersonThere()
  const begun = await read(await browser.postJson('/api/users/me/sso/link', { provider: 'GOOGLE' }))
  await browser.get(await comeBackFrom(String(begun.body.url), there))
  expect((await take(tokens)).body.ssoLinks).toEqual([
    {
      provider: 'GOOGLE',
      issuer: issuers.google,
      subject: there.sub,
      email: there.email,
      displayName: there.name,
      avatarUrl: there.picture,
      linkedAt: AT,
      lastUsedAt: AT,
    },
  ])
})

test('nothing that opens anything is in it', async () => {
  const { person, tokens } = await newConfirmedHolder()
  const { app, recoveryCodes } = await addApp(tokens)
  const { device } = await newPasskey(tokens)
  const browser = await person.signIn()
  const link = tokenIn((await mailTo(person.email)).find(({ text }) => text.includes('token=')))
  const text = JSON.stringify((await take(tokens)).body)
  const secrets = [
    ...[person.password, app.secret, device.id, tokens.access_token, tokens.refresh_token, tokens.id_token],
    ...[...browser.cookies.values(), sessionOf(browser), link, ...recoveryCodes],
  ]
  for (const secret of secrets) {
    if (secret) expect(text).not.toContain(secret)
  }
  expect(text).not.toMatch(/argon2|hash|secret"|sealed|public_?key/i)
})

test('nobody sees anything of anybody else, and a browser gets the same as a token', async () => {
  const [{ person, tokens }, other] = [await newHolder(), await newHolder()]
  await take(other.tokens)
  const { body } = await take(tokens)
  expect(JSON.stringify(body)).not.toContain(other.person.email)
  const browser = await person.signIn()
  const { body: same } = await read(await browser.get(PATH))
  expect(same).toMatchObject({ profile: body.profile as object })
})

test('it lets in no stranger, no machine and no third party', async () => {
  await expectClosed(await intruders(await newPerson()), { method: 'GET', path: PATH })
})
