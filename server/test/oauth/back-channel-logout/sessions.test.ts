import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eraseDueAccounts } from '../../../src/account/deletion/erasure.ts'
import { createNeededKeys } from '../../../src/applications/signing-algorithm.ts'
import { sealText } from '../../../src/lib/seal.ts'
import { sweepExpired } from '../../../src/oauth/sweep.ts'
import { mailPasswordReset } from '../../../src/sessions/password-reset.ts'
import { call, createSignedInUser, findLinkToken, insertUser, listMailTo } from '../../account/people.ts'
import { openTab } from '../../invitations/browser-tab.ts'
import type { TestService } from '../../support/service.ts'
import { watchStatements } from '../../support/statements.ts'
import { admin, authorizeUrl, introspect, PASSWORD, signIn, startDemoService, userinfo } from '../../support/world.ts'
import { askForCodes, follow, poll, setDeviceFlow, typeCode } from '../device-steps.ts'
import {
  ALLOW_LOOPBACK,
  callAsOps,
  deliveriesOf,
  POST_LOGOUT_URI,
  type RelyingParty,
  receivedSids,
  sendDue,
  signInTo,
  startRelyingParty,
  validateLogoutToken,
} from './relying-party.ts'

// Which clients are told that a session has ended, and what they are told.

const DAY_MS = 86_400_000

let service: TestService
let url: string
let rp: RelyingParty
let other: RelyingParty
beforeAll(async () => {
  service = await startDemoService({ config: ALLOW_LOOPBACK, forbidSlowWork: true })
  url = service.url
  rp = await startRelyingParty(service)
  other = await startRelyingParty(service)
})
afterAll(async () => {
  await rp?.stop()
  await other?.stop()
  await service?.close()
})
beforeEach(async () => {
  await sendDue(service)
  for (const { received } of [rp, other]) received.length = 0
})

const logOut = (idToken: string, cookie = '', form: Record<string, string> = {}) =>
  fetch(`${url}/api/oauth/logout`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ id_token_hint: idToken, ...form }),
    redirect: 'manual',
  })

/** A user of their own, signed in to the client. */
async function newVisitor() {
  const user = await createSignedInUser(service)
  const { sid } = await signInTo(url, rp, { cookie: user.cookie })
  return { ...user, sid }
}

/** The sids that the client receives. */
async function deliver(): Promise<unknown[]> {
  await sendDue(service)
  return receivedSids(rp)
}

test('oidcc-backchannel-rp-initiated-logout: the client gets one valid logout token for the session', async () => {
  const { cookie, tokens, sub, sid } = await signInTo(url, rp)
  const response = await logOut(tokens.id_token, cookie, { post_logout_redirect_uri: POST_LOGOUT_URI, state: 's' })
  expect({ status: response.status, to: response.headers.get('location') }).toEqual({
    status: 303,
    to: `${POST_LOGOUT_URI}?state=s`,
  })
  await sendDue(service)
  expect(rp.received).toEqual([
    {
      method: 'POST',
      contentType: 'application/x-www-form-urlencoded',
      body: expect.stringMatching(/^logout_token=[\w.-]+$/),
      token: expect.any(String),
    },
  ])
  const { payload, algorithm } = await validateLogoutToken(service, rp.received[0]?.token ?? '', rp.clientId)
  expect(payload).toEqual({
    iss: url,
    aud: rp.clientId,
    sub,
    sid,
    iat: expect.any(Number),
    exp: Number(payload.iat) + 120,
    jti: expect.any(String),
    events: expect.anything(),
  })
  expect(algorithm).toBe('RS256')
  expect(other.received).toEqual([])
})

test('a logout without a redirect is told', async () => {
  const { cookie, tokens, sid } = await signInTo(url, rp)
  expect((await logOut(tokens.id_token, cookie, { state: 's' })).status).toBe(200)
  expect(await deliver()).toEqual([sid])
})

test('a logout that the person confirms is told after the confirmation', async () => {
  const { cookie, sid } = await signInTo(url, rp)
  const tab = openTab(url, cookie)
  await tab.open('/api/oauth/logout')
  expect(await deliver()).toEqual([])
  await tab.submit({}, { headers: { origin: url } })
  expect(await deliver()).toEqual([sid])
})

test('every client of the session is told once, with a token of its own, also after several sign-ins', async () => {
  const { cookie, tokens, sid } = await signInTo(url, rp)
  await signInTo(url, rp, { cookie })
  await signInTo(url, other, { cookie })
  await logOut(tokens.id_token, cookie)
  expect(await deliver()).toEqual([sid])
  expect(receivedSids(other)).toEqual([sid])
  const token = other.received[0]?.token ?? ''
  await validateLogoutToken(service, token, other.clientId)
  await expect(validateLogoutToken(service, token, rp.clientId)).rejects.toThrow('"aud"')
})

test('a client is not told of a session in which nobody signed in to it', async () => {
  await signInTo(url, other)
  const { cookie, tokens, sid } = await signInTo(url, rp)
  await logOut(tokens.id_token, cookie)
  expect(await deliver()).toEqual([sid])
  expect(other.received).toEqual([])
  expect((await deliveriesOf(service, other)).map(({ sessionId }) => sessionId)).not.toContain(sid)
})

test('a third-party client is told as well', async () => {
  const user = await insertUser(service)
  const cookie = await signIn(url, user.email)
  await admin(url, `/api/admin/applications/${other.applicationId}`, { trusted: false }, 'PATCH')
  try {
    const tab = openTab(url, cookie)
    await follow(tab, await tab.open(authorizeUrl('', { client_id: other.clientId })))
    await tab.submit({ decision: 'allow' }, { headers: { origin: url } })
    const { sid } = await signInTo(url, other, { cookie })
    await call(`${url}/api/auth/logout`, { method: 'POST', headers: { cookie, origin: url }, body: {} })
    await sendDue(service)
    expect(receivedSids(other)).toEqual([sid])
  } finally {
    await admin(url, `/api/admin/applications/${other.applicationId}`, { trusted: true }, 'PATCH')
  }
})

test('only the session that ended is named: other sessions of the person go on', async () => {
  const first = await signInTo(url, rp)
  const second = await signInTo(url, rp)
  await logOut(first.tokens.id_token, first.cookie)
  expect(await deliver()).toEqual([first.sid])
  expect(await userinfo(url, second.tokens.access_token)).toBe(200)
})

describe('the client is told, however the session ends:', () => {
  type Visitor = Awaited<ReturnType<typeof newVisitor>>
  const asOps = async (method: string, path: string, body?: object) =>
    expect((await callAsOps(service, method, path, body)).status).toBe(200)
  const byBrowser = ({ cookie }: Visitor, method: string, path: string, body?: object) =>
    call(url + path, { method, body, headers: { cookie, origin: url } })

  test.each<[string, (visitor: Visitor) => Promise<unknown>]>([
    ['the person signs out', (visitor) => byBrowser(visitor, 'POST', '/api/auth/logout', {})],
    [
      'the person revokes the session',
      ({ id: _, sid, ...visitor }) => visitor.call('DELETE', `/api/users/me/sessions/${sid}`),
    ],
    [
      'the person revokes all other sessions',
      async ({ signInAgain }) => {
        const headers = { authorization: `Bearer ${(await signInAgain()).tokens.access_token}` }
        return call(`${url}/api/users/me/sessions`, { method: 'DELETE', headers })
      },
    ],
    [
      'the person changes the password elsewhere',
      async ({ signInAgain }) => {
        const headers = { authorization: `Bearer ${(await signInAgain()).tokens.access_token}` }
        const body = { currentPassword: PASSWORD, newPassword: 'another good password' }
        return call(`${url}/api/users/me/password`, { method: 'POST', headers, body })
      },
    ],
    [
      'the person resets the password',
      async ({ email }) => {
        const recipient = sealText(service.ctx.keys, 'password-reset', email)
        await mailPasswordReset.run(service.ctx, { recipient })
        const [mail] = await listMailTo(service, email)
        const body = { token: findLinkToken(mail), newPassword: 'another good password' }
        return call(`${url}/api/auth/password/reset`, { method: 'POST', body })
      },
    ],
    [
      'the person deletes the account',
      (visitor) => visitor.call('DELETE', '/api/users/me', { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }),
    ],
    ['an administrator ends the sessions', ({ id }) => asOps('DELETE', `/api/admin/users/${id}/sessions`)],
    ['an administrator ends the password', ({ id }) => asOps('POST', `/api/admin/users/${id}/password-reset`)],
    ['an administrator disables the account', ({ id }) => asOps('PATCH', `/api/admin/users/${id}`, { disabled: true })],
    ['an administrator deletes the account', ({ id }) => asOps('DELETE', `/api/admin/users/${id}`)],
    ['the row of the user is deleted', ({ id }) => service.ctx.db.deleteFrom('users').where('id', '=', id).execute()],
  ])('%s', async (_name, end) => {
    const visitor = await newVisitor()
    await end(visitor)
    await sendDue(service)
    expect(receivedSids(rp)).toEqual([visitor.sid])
    const { payload } = await validateLogoutToken(service, rp.received[0]?.token ?? '', rp.clientId)
    expect(payload).toMatchObject({ sub: visitor.id, sid: visitor.sid })
  })
})

test('an account that is erased later is not told again', async () => {
  const visitor = await newVisitor()
  await visitor.call('DELETE', '/api/users/me', { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' })
  expect(await deliver()).toEqual([visitor.sid])
  service.advance(31 * DAY_MS)
  await eraseDueAccounts.run(service.ctx, {})
  service.advance(-31 * DAY_MS)
  expect(await deliver()).toEqual([visitor.sid])
})

test('a client whose tokens ended before is told all the same, also when its grant was swept', async () => {
  const revoked = await signInTo(url, rp)
  const form = new URLSearchParams({ token: revoked.tokens.refresh_token, client_id: rp.clientId })
  await fetch(`${url}/api/oauth/revoke`, { method: 'POST', body: form })
  const swept = await signInTo(url, rp)
  await service.ctx.db
    .updateTable('grants')
    .set({ expires_at: new Date(0) })
    .where('session_id', '=', swept.sid)
    .execute()
  await sweepExpired.run(service.ctx, {})
  const grants = service.ctx.db.selectFrom('grants').select('id').where('session_id', 'in', [revoked.sid, swept.sid])
  expect(await grants.execute()).toEqual([])
  for (const { cookie, tokens } of [revoked, swept]) await logOut(tokens.id_token, cookie)
  expect(new Set(await deliver())).toEqual(new Set([revoked.sid, swept.sid]))
})

test('a client is not told of a session that expired: nobody signed out', async () => {
  const user = await insertUser(service)
  const { sid } = await signInTo(url, rp, { email: user.email })
  await service.ctx.db.deleteFrom('grants').where('session_id', '=', sid).execute()
  await service.ctx.db
    .updateTable('sessions')
    .set({ cookie_used_at: new Date(0) })
    .where('id', '=', sid)
    .execute()
  await sweepExpired.run(service.ctx, {})
  expect(await service.ctx.db.selectFrom('sessions').where('id', '=', sid).select('id').execute()).toEqual([])
  expect(await deliver()).toEqual([])
  expect((await deliveriesOf(service, rp)).map(({ sessionId }) => sessionId)).not.toContain(sid)
})

test('a device that somebody allowed from the session is told', async () => {
  await setDeviceFlow(service, rp.clientId, true)
  const user = await insertUser(service)
  const cookie = await signIn(url, user.email)
  const form = { client_id: rp.clientId }
  const { body: device } = await askForCodes(url, form)
  const tab = openTab(url, cookie)
  await typeCode(tab, device.user_code)
  await follow(tab, await tab.submit({ decision: 'allow' }, { headers: { origin: url } }))
  expect((await poll(url, device, form)).status).toBe(200)
  await call(`${url}/api/auth/logout`, { method: 'POST', headers: { cookie, origin: url }, body: {} })
  expect(await deliver()).toHaveLength(1)
})

test('the logout token is signed with the algorithm of the application', async () => {
  await admin(url, `/api/admin/applications/${other.applicationId}`, { signingAlgorithm: 'ES256' }, 'PATCH')
  await createNeededKeys.run(service.ctx, {})
  service.advance(15 * 60_000)
  await service.ctx.changes.waitUntilCurrent()
  const { cookie, tokens } = await signInTo(url, other)
  await logOut(tokens.id_token, cookie)
  await sendDue(service)
  const { algorithm } = await validateLogoutToken(service, other.received[0]?.token ?? '', other.clientId)
  expect(algorithm).toBe('ES256')
})

test('a logout token is neither an access token nor an ID token hint', async () => {
  const ended = await signInTo(url, rp)
  await logOut(ended.tokens.id_token, ended.cookie)
  await sendDue(service)
  const token = rp.received[0]?.token ?? ''
  expect(await userinfo(url, token)).toBe(401)
  expect(await introspect(url, token)).toEqual({ active: false })
  const { cookie, tokens } = await signInTo(url, rp)
  const response = await logOut(token, cookie)
  expect(response.status).toBe(200)
  expect(await userinfo(url, tokens.access_token)).toBe(200)
})

test('a sign-out has as many statements with such clients as without', async () => {
  const watch = await watchStatements(service)
  try {
    const countSignOut = async (client: { clientId: string } | undefined) => {
      const cookie = await signIn(url, 'mia@acme.test')
      if (client) await signInTo(url, client, { cookie })
      const send = () => call(`${url}/api/auth/logout`, { method: 'POST', headers: { cookie, origin: url }, body: {} })
      return watch.count(send)
    }
    const without = await countSignOut(undefined)
    expect(await countSignOut(rp)).toBe(without)
  } finally {
    await watch.close()
  }
})

test('oidcc-backchannel-logout-discovery-endpoint-verification: listed while an enabled client uses it', async () => {
  const fresh = await startDemoService({ config: ALLOW_LOOPBACK })
  const metadata = async () => {
    await fresh.ctx.changes.waitUntilCurrent()
    const found = (await (await fetch(`${fresh.url}/.well-known/openid-configuration`)).json()) as object
    return Object.entries(found).filter(([name]) => name.startsWith('backchannel'))
  }
  const change = (id: string, body: object) => admin(fresh.url, `/api/admin/clients/${id}`, body, 'PATCH')
  const client = await startRelyingParty(fresh, { backchannelLogoutUri: null })
  try {
    expect(await metadata()).toEqual([])
    await change(client.id, { backchannelLogoutUri: client.uri })
    const listed = [
      ['backchannel_logout_supported', true],
      ['backchannel_logout_session_supported', true],
    ]
    expect(await metadata()).toEqual(listed)
    await change(client.id, { disabled: true })
    expect(await metadata()).toEqual([])
    await change(client.id, { disabled: false })
    expect(await metadata()).toEqual(listed)
    await change(client.id, { backchannelLogoutUri: null })
    expect(await metadata()).toEqual([])
  } finally {
    await client.stop()
    await fresh.close()
  }
})
