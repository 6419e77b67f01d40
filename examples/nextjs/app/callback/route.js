import { authorizationCodeGrant } from 'openid-client'
import { APP_URL, getClient } from '../../lib/latchkey.js'
import { getSession } from '../../lib/session.js'

/** Latchkey sends the browser back to here, with a code. */
export async function GET(request) {
  const session = await getSession()
  // No sign-in of this browser is in progress.
  if (!session.signIn) return Response.redirect(APP_URL)
  const { verifier, state, nonce } = session.signIn
  const url = new URL(`/callback${request.nextUrl.search}`, APP_URL)
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true }
  try {
    const tokens = await authorizationCodeGrant(await getClient(), url, checks)
    delete session.signIn
    session.accessToken = tokens.access_token
    session.idToken = tokens.id_token
    session.name = tokens.claims().name
    await session.save()
  } catch (error) {
    console.error('The sign-in failed:', error)
    return new Response('The sign-in failed. Please try again.', { status: 400 })
  }
  return Response.redirect(`${APP_URL}/reports`)
}
