import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jwtVerify } from 'jose'
import { afterAll, expect, inject, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { decodeToken, keySet } from '../support/jwt.ts'
import { isSignedIn, logOut } from '../support/logout.ts'
import { getTokens } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, POST_LOGOUT_URI, readResponse } from '../support/service.ts'

// The modules of the oidcc-backchannel-rp-initiated-logout-certification-test-plan. The service must be able to reach this
// process, and WEBHOOK_ALLOWED_NETWORKS must allow it, so they are skipped for a service that was not started for the tests.
const isOwnService = inject('issuers').google !== undefined

const received: { contentType: string | undefined; form: URLSearchParams }[] = []
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    received.push({ contentType: request.headers['content-type'], form })
    response.writeHead(200, { 'cache-control': 'no-store' }).end()
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => server.close())

const registerClient = async () => {
  const backchannelLogoutUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout`
  return newClient(await newApplication(), 'WEB', { backchannelLogoutUri })
}

test.runIf(isOwnService)('oidcc-backchannel-logout-discovery-endpoint-verification: it is listed', async () => {
  await registerClient()
  const metadata = async () => (await readResponse(await fetch(`${baseUrl}/.well-known/openid-configuration`))).body
  await expect.poll(metadata).toMatchObject({
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    claims_supported: expect.arrayContaining(['sid']),
  })
})

test.runIf(isOwnService)('oidcc-backchannel-rp-initiated-logout: the client gets a valid logout token', async () => {
  const client = await registerClient()
  const browser = await (await newPerson()).signIn()
  const { id_token } = await getTokens(browser, client)
  const { payload: claims } = decodeToken(id_token)
  const state = 'a-state'
  const last = await logOut(browser, { id_token_hint: id_token, post_logout_redirect_uri: POST_LOGOUT_URI, state })
  expect(last.headers.get('location')).toBe(`${POST_LOGOUT_URI}?state=${state}`)
  await expect.poll(() => received.length).toBe(1)
  const [{ contentType, form } = { contentType: '', form: new URLSearchParams() }] = received
  expect(contentType).toMatch(/^application\/x-www-form-urlencoded/)
  expect([...form.keys()]).toEqual(['logout_token'])
  // OpenID Connect Back-Channel Logout 1.0 §2.4.
  const { payload, protectedHeader } = await jwtVerify(form.get('logout_token') ?? '', keySet, {
    issuer: baseUrl,
    audience: client.clientId,
    algorithms: ['RS256'],
    requiredClaims: ['iat', 'exp', 'jti'],
  })
  expect(protectedHeader.kid).toEqual(expect.any(String))
  expect(payload).toMatchObject({
    sub: claims.sub,
    sid: claims.sid,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  })
  expect(payload).not.toHaveProperty('nonce')
  expect(await isSignedIn(browser, client)).toBe(false)
})
