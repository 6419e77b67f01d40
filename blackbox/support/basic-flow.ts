import { expect } from 'vitest'
import type { Browser } from './browser.ts'
import { verifyIdToken } from './jwt.ts'
import {
  authorizationRequest,
  authorize,
  basic,
  type Client,
  exchangeCode,
  NO_BODY_CREDENTIALS,
  readRedirect,
} from './oauth.ts'
import type { Fields } from './service.ts'

// The flow of the OpenID Foundation's oidcc-basic-certification-test-plan: a confidential client that authenticates
// by Basic and sends no client_id in the body.

export const redeem = (client: Client, code: string, extra: Fields = {}) =>
  exchangeCode(client, code, { ...NO_BODY_CREDENTIALS, ...extra }, basic(client))

/** Redeems a code and checks the ID token as the plan requires. */
export async function redeemAndVerify(client: Client, code = '', nonce?: Fields[string]) {
  const { status, body } = await redeem(client, code)
  expect(status).toBe(200)
  const claims = await verifyIdToken(body.id_token, client.clientId)
  if (nonce) expect(claims.nonce).toBe(nonce)
  return { tokens: body, claims }
}

/** Gets tokens in a signed-in browser without any page. */
export async function authorizeSilently(browser: Browser, client: Client, extra: Fields = {}) {
  const request = authorizationRequest(client, extra)
  const response = readRedirect(await authorize(browser, client, request))
  expect(response).toMatchObject({ code: expect.any(String), state: request.state })
  return redeemAndVerify(client, response.code, request.nonce)
}
