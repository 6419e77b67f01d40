import { expect } from 'vitest'
import type { Browser } from './browser.ts'
import { verifyIdToken } from './jwt.ts'
import {
  authorizationRequest,
  authorize,
  basic,
  type Client,
  exchange,
  landing,
  NO_BODY_CREDENTIALS,
} from './oauth.ts'
import type { Fields } from './service.ts'

// The flow of the OpenID Foundation's oidcc-basic-certification-test-plan: a confidential client that authenticates
// by Basic and sends no client_id in the body.

export const redeem = (client: Client, code: string, extra: Fields = {}) =>
  exchange(client, code, { ...NO_BODY_CREDENTIALS, ...extra }, basic(client))

/** Redeems a code, with everything the plan checks about each ID token. */
export async function complete(client: Client, code = '', nonce?: Fields[string]) {
  const { status, body } = await redeem(client, code)
  expect(status).toBe(200)
  const claims = await verifyIdToken(body.id_token, client.clientId)
  if (nonce) expect(claims.nonce).toBe(nonce)
  return { tokens: body, claims }
}

/** Signed in and asking with `extra`, the browser gets its tokens without seeing any page. */
export async function silently(browser: Browser, client: Client, extra: Fields = {}) {
  const request = authorizationRequest(client, extra)
  const answer = landing(await authorize(browser, client, request))
  expect(answer).toMatchObject({ code: expect.any(String), state: request.state })
  return complete(client, answer.code, request.nonce)
}
