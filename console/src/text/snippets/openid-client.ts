import { homeOf, isInsecure, openAndSignIn, quote, type Snippet, type SnippetValues, withSecret } from './values.ts'

/** A web server that signs users in. */
export function openidClient(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri, postLogoutUri } = values
  const insecure = isInsecure(issuer)
    ? `
  undefined,
  // Only while Latchkey is on http, on your own machine.
  { execute: [oidc.allowInsecureRequests] },`
    : ''
  const afterSignOut = postLogoutUri ? `, post_logout_redirect_uri: ${quote(postLogoutUri)}` : ''
  const code = `import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import * as oidc from 'openid-client'

const redirectUri = new URL(${quote(redirectUri)})
const latchkey = await oidc.discovery(
  new URL(${quote(issuer)}),
  ${quote(clientId)},
  process.env.LATCHKEY_CLIENT_SECRET,${insecure}
)

// Sessions by cookie value. In production, store them in your database.
const sessions = new Map()

function begin(response, session) {
  const id = randomUUID()
  sessions.set(id, session)
  const secure = redirectUri.protocol === 'https:' ? '; Secure' : ''
  response.setHeader('Set-Cookie', 'session=' + id + '; Path=/; HttpOnly; SameSite=Lax' + secure)
}

async function signIn(response) {
  const attempt = {
    pkceCodeVerifier: oidc.randomPKCECodeVerifier(),
    expectedState: oidc.randomState(),
    expectedNonce: oidc.randomNonce(),
  }
  begin(response, { attempt })
  return oidc.buildAuthorizationUrl(latchkey, {
    redirect_uri: redirectUri.href,
    scope: 'openid profile email',
    state: attempt.expectedState,
    nonce: attempt.expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(attempt.pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
}

async function finish(response, url, { attempt }) {
  const tokens = await oidc.authorizationCodeGrant(latchkey, url, attempt)
  const { sub } = tokens.claims()
  const person = await oidc.fetchUserInfo(latchkey, tokens.access_token, sub)
  begin(response, { person, idToken: tokens.id_token })
  return '/'
}

const signOut = ({ idToken }) =>
  oidc.buildEndSessionUrl(latchkey, { id_token_hint: idToken${afterSignOut} })

const inHtml = (text) => String(text).replace(/[&<>"']/g, (char) => '&#' + char.charCodeAt(0) + ';')
const show = ({ person } = {}) =>
  person
    ? '<p>Hello ' + inHtml(person.name) + ' (' + inHtml(person.email) + ')</p><a href="/logout">Sign out</a>'
    : '<p>You are not signed in.</p><a href="/login">Sign in</a>'

async function answer(request, response) {
  const url = new URL(request.url, redirectUri)
  const [, id] = /(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? '') ?? []
  const session = sessions.get(id)
  const goTo = (address) => response.writeHead(303, { Location: String(address) }).end()
  if (url.pathname === '/login') return goTo(await signIn(response))
  if (url.pathname === redirectUri.pathname && url.searchParams.has('state') && session?.attempt) {
    sessions.delete(id)
    return goTo(await finish(response, url, session))
  }
  if (url.pathname === '/logout' && session?.person) {
    sessions.delete(id)
    return goTo(signOut(session))
  }
  response.setHeader('Content-Type', 'text/html; charset=utf-8')
  response.end('<!doctype html><title>Signing in with Latchkey</title>' + show(session))
}

const port = Number(process.env.PORT ?? (redirectUri.port || 8080))
createServer((request, response) =>
  answer(request, response).catch((error) => {
    console.error(error)
    response.writeHead(500).end('That did not work. The log says why.')
  }),
).listen(port, () => console.log('Listening on port ' + port))
`
  return {
    files: [{ name: 'server.mjs', code }],
    run: `npm install openid-client
${withSecret(values, 'node server.mjs')}`,
    next: openAndSignIn(homeOf(redirectUri)),
  }
}
