import { AuthError, createLatchkey } from '@latchkey/node'
import { allowInsecureRequests, discovery } from 'openid-client'
import { getSession } from './session.js'

const { LATCHKEY_URL = 'http://localhost:3000', APPLICATION_ID } = process.env

export const APP_URL = process.env.APP_URL ?? 'http://localhost:8080'

/** Verifies access tokens and checks licenses. */
export const latchkey = createLatchkey({ issuer: LATCHKEY_URL, applicationId: APPLICATION_ID })

/** The OpenID Connect client of this application. */
export async function getClient() {
  const { CLIENT_ID = 'demo-web', CLIENT_SECRET = 'demo-web-secret' } = process.env
  // The demo has no TLS. In production, the address begins with https.
  const execute = LATCHKEY_URL.startsWith('http://localhost') ? [allowInsecureRequests] : []
  client ??= discovery(new URL(LATCHKEY_URL), CLIENT_ID, CLIENT_SECRET, undefined, { execute }).catch((error) => {
    client = undefined
    throw error
  })
  return client
}
let client

/** The signed-in user, or undefined. */
export async function getAuth() {
  const { accessToken } = await getSession()
  if (!accessToken) return undefined
  try {
    return await latchkey.verify(accessToken)
  } catch (error) {
    // The token has expired. Every other error is a failure.
    if (error instanceof AuthError && error.status === 401) return undefined
    throw error
  }
}

/** Lets the pages of this application use a route handler that needs an access token. */
export const withSession = (handler) => async (request, context) => {
  const { accessToken } = await getSession()
  const headers = new Headers(request.headers)
  if (accessToken) headers.set('authorization', `Bearer ${accessToken}`)
  return handler(new Request(request.url, { headers }), context)
}
