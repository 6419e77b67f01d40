import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { APP_URL, getClient } from '../../lib/latchkey.js'
import { getSession } from '../../lib/session.js'

/** Sends the browser to Latchkey. */
export async function GET() {
  const session = await getSession()
  session.signIn = { verifier: randomPKCECodeVerifier(), state: randomState(), nonce: randomNonce() }
  await session.save()
  const url = buildAuthorizationUrl(await getClient(), {
    redirect_uri: `${APP_URL}/callback`,
    scope: 'openid profile email',
    code_challenge: await calculatePKCECodeChallenge(session.signIn.verifier),
    code_challenge_method: 'S256',
    state: session.signIn.state,
    nonce: session.signIn.nonce,
  })
  return Response.redirect(url)
}
