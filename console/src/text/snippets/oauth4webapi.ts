import { homeOf, isInsecure, openAndSignIn, portOf, quote, type Snippet, type SnippetValues } from './values.ts'

/** A single-page app that signs users in. */
export function oauth4webapi({ issuer, clientId, redirectUri, postLogoutUri }: SnippetValues): Snippet {
  const insecure = isInsecure(issuer)
    ? `// Only while Latchkey is on http, on your own machine.
const options = { [oauth.allowInsecureRequests]: true }`
    : 'const options = {}'
  const afterSignOut = postLogoutUri
    ? `
  address.searchParams.set('post_logout_redirect_uri', ${quote(postLogoutUri)})`
    : ''
  const code = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Signing in with Latchkey</title>
<p id="text">Loading …</p>
<button id="button" hidden></button>
<script type="module">
import * as oauth from 'oauth4webapi'

const issuer = new URL(${quote(issuer)})
const client = { client_id: ${quote(clientId)} }
const redirectUri = ${quote(redirectUri)}
${insecure}

const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))

async function signIn() {
  const attempt = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
  }
  sessionStorage.setItem('attempt', JSON.stringify(attempt))
  const address = new URL(server.authorization_endpoint)
  address.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  })
  location.assign(address)
}

async function finish({ verifier, state, nonce }) {
  const answer = oauth.validateAuthResponse(server, client, new URL(location.href), state)
  history.replaceState(null, '', '/')
  const response = await oauth.authorizationCodeGrantRequest(
    server, client, oauth.None(), answer, redirectUri, verifier, options,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  const { sub } = oauth.getValidatedIdTokenClaims(tokens)
  const reply = await oauth.userInfoRequest(server, client, tokens.access_token, options)
  return { tokens, person: await oauth.processUserInfoResponse(server, client, sub, reply) }
}

function signOut({ id_token }) {
  const address = new URL(server.end_session_endpoint)
  address.searchParams.set('id_token_hint', id_token)${afterSignOut}
  location.assign(address)
}

function show(text, label, action) {
  document.querySelector('#text').textContent = text
  const button = document.querySelector('#button')
  button.textContent = label
  button.onclick = action
  button.hidden = false
}

const attempt = JSON.parse(sessionStorage.getItem('attempt'))
sessionStorage.removeItem('attempt')
try {
  if (attempt && location.search.includes('state=')) {
    // Keep the access token in memory, and send it to your API as "Authorization: Bearer …".
    const { tokens, person } = await finish(attempt)
    show('Hello ' + person.name + ' (' + person.email + ')', 'Sign out', () => signOut(tokens))
  } else {
    show('You are not signed in.', 'Sign in', signIn)
  }
} catch (error) {
  show(error.error_description ?? error.message, 'Try again', signIn)
}
</script>
`
  return {
    files: [{ name: 'index.html', code }],
    run: `npm install oauth4webapi vite
npx vite --port ${portOf(redirectUri, '5173')} --strictPort`,
    next: openAndSignIn(homeOf(redirectUri)),
  }
}
