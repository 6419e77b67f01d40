import { buildEndSessionUrl } from 'openid-client'
import { APP_URL, getClient } from '../../lib/latchkey.js'
import { getSession } from '../../lib/session.js'

/** Ends the session here and at Latchkey. */
export async function POST() {
  const session = await getSession()
  const { idToken } = session
  session.destroy()
  if (!idToken) return Response.redirect(APP_URL, 303)
  const parameters = { id_token_hint: idToken, post_logout_redirect_uri: `${APP_URL}/` }
  return Response.redirect(buildEndSessionUrl(await getClient(), parameters), 303)
}
