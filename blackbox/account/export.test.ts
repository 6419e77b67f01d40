import { expect, test } from 'vitest'
import { callAs, client, newAccount, newConfirmedAccount } from '../support/account.ts'
import { newApplication, newClient } from '../support/admin.ts'
import { addAuthenticatorApp } from '../support/authenticator-app.ts'
import { expectForbidden, newForbiddenCallers } from '../support/calls.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import { findToken, listMails } from '../support/mail.ts'
import { authorize, getTokens, type Tokens } from '../support/oauth.ts'
import { completePages } from '../support/pages.ts'
import { newPasskey } from '../support/passkeys.ts'
import { demoPerson, newPerson } from '../support/person.ts'
import { readResponse } from '../support/service.ts'
import { findSessionCookie, TIMESTAMP, UUID } from '../support/sign-in.ts'
import { issuers, newProviderAccount, signInAtProvider } from '../support/sso.ts'

const PATH = '/api/users/me/export'
const AT = expect.stringMatching(TIMESTAMP)
const ID = expect.stringMatching(UUID)

interface Entry {
  action: string
  by: string
  occurredAt: string
  personal: object
}

const exportData = (tokens: Tokens) => callAs(tokens, 'GET', PATH)
const auditEntriesOf = (body: Record<string, unknown>) => body.auditEntries as Entry[]

const session = (id: unknown, methods: string[]) => ({
  id,
  userAgent: expect.any(String),
  ipAddress: expect.any(String),
  createdAt: AT,
  lastActive: AT,
  authenticatedAt: AT,
  methods,
})

test('the export of a new person contains all stored data', async () => {
  const { person, tokens } = await newAccount()
  const { sub, sid } = await verifyAccessToken(tokens.access_token)
  const { status, headers, body } = await exportData(tokens)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.json"$/)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toEqual({
    exportedAt: AT,
    profile: {
      id: sub,
      email: person.email,
      emailVerified: false,
      username: null,
      displayName: 'Sam Someone',
      givenName: 'Sam',
      familyName: 'Someone',
      middleName: null,
      nickname: null,
      pictureUrl: null,
      website: null,
      gender: null,
      birthdate: null,
      zoneinfo: 'UTC',
      locale: 'en',
      phone: null,
      phoneVerified: false,
      mfaEnabled: false,
      createdAt: AT,
      updatedAt: AT,
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
  for (const entry of auditEntriesOf(body)) {
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
  expect(auditEntriesOf(body).map(({ action }) => action)).toEqual(['session.started', 'user.registered'])
  const again = auditEntriesOf((await exportData(tokens)).body)
  expect(again.map(({ action }) => action)).toContain('user.data_exported')
  const times = again.map(({ occurredAt }) => occurredAt)
  expect(times).toEqual([...times].sort().reverse())
})

test('it contains second factors, consents and sessions', async () => {
  const { person, tokens } = await newConfirmedAccount()
  const { app } = await addAuthenticatorApp(tokens)
  const passkey = await newPasskey(tokens)
  const browser = await person.signIn()
  await browser.postJson('/api/auth/mfa', { code: await app.nextCode() })
  const thirdParty = await newClient(await newApplication({ trusted: false }), 'SPA')
  await completePages(browser, await authorize(browser, thirdParty, { scope: 'openid email' }), person)
  const { body } = await exportData(tokens)
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
      lastUsedAt: null,
    },
  ])
})

test('it contains the tenants of the person', async () => {
  const mia = await getTokens(await demoPerson('mia@acme.test').signIn(), client)
  expect((await exportData(mia)).body.memberships).toContainEqual({
    tenantId: ID,
    tenantName: 'Acme',
    tenantSlug: 'acme',
    role: 'member',
    status: 'ACTIVE',
  })
})

test.skipIf(!issuers.google)('it contains linked sign-in providers', async () => {
  const { person } = await newConfirmedAccount()
  const browser = await person.signIn()
  const tokens = await getTokens(browser, client)
  const providerAccount = newProviderAccount()
  const begun = await readResponse(await browser.postJson('/api/users/me/sso/link', { provider: 'GOOGLE' }))
  await browser.get(await signInAtProvider(String(begun.body.url), providerAccount))
  expect((await exportData(tokens)).body.ssoLinks).toEqual([
    {
      provider: 'GOOGLE',
      issuer: issuers.google,
      subject: providerAccount.sub,
      email: providerAccount.email,
      displayName: providerAccount.name,
      avatarUrl: providerAccount.picture,
      linkedAt: AT,
      lastUsedAt: AT,
    },
  ])
})

test('it contains no secrets', async () => {
  const { person, tokens } = await newConfirmedAccount()
  const { app, recoveryCodes } = await addAuthenticatorApp(tokens)
  const { device } = await newPasskey(tokens)
  const browser = await person.signIn()
  const link = findToken((await listMails(person.email)).find(({ text }) => text.includes('token=')))
  const text = JSON.stringify((await exportData(tokens)).body)
  const secrets = [
    ...[person.password, app.secret, device.id, tokens.access_token, tokens.refresh_token, tokens.id_token],
    ...[...browser.cookies.values(), findSessionCookie(browser), link, ...recoveryCodes],
  ]
  for (const secret of secrets) {
    if (secret) expect(text).not.toContain(secret)
  }
  expect(text).not.toMatch(/argon2|hash|secret"|sealed|public_?key/i)
})

test('it contains no data of other people, and is the same for a session cookie and a token', async () => {
  const [{ person, tokens }, other] = [await newAccount(), await newAccount()]
  await exportData(other.tokens)
  const { body } = await exportData(tokens)
  expect(JSON.stringify(body)).not.toContain(other.person.email)
  const browser = await person.signIn()
  const { body: same } = await readResponse(await browser.get(PATH))
  expect(same).toMatchObject({ profile: body.profile as object })
})

test('callers without authentication, machines and third-party applications are refused', async () => {
  await expectForbidden(await newForbiddenCallers(await newPerson()), { method: 'GET', path: PATH })
})
