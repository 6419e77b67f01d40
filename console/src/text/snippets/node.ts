import {
  homeOf,
  inShell,
  isInsecure,
  openAndSignIn,
  originOf,
  pathOf,
  portOf,
  quote,
  type Snippet,
  type SnippetValues,
  withSecret,
} from './values.ts'

const RANDOM = '"$(openssl rand -hex 32)"'

export function authJs(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const code = `import { ExpressAuth, getSession } from '@auth/express'
import express from 'express'

const config = {
  secret: process.env.AUTH_SECRET,
  trustHost: true,
  providers: [
    {
      id: 'latchkey',
      name: 'Latchkey',
      type: 'oidc',
      issuer: ${quote(issuer)},
      clientId: ${quote(clientId)},
      clientSecret: process.env.LATCHKEY_CLIENT_SECRET,
      // Auth.js sends a nonce only if it is listed here.
      checks: ['pkce', 'state', 'nonce'],
    },
  ],
}

const app = express()
app.use('/auth', ExpressAuth(config))
app.get('/', async (request, response) => {
  const session = await getSession(request, config)
  response.type('text').send(session ? 'Hello ' + session.user.email : 'You are not signed in.')
})
app.listen(${portOf(redirectUri, '8080')})
`
  return {
    files: [{ name: 'server.mjs', code }],
    run: `npm install express @auth/express
AUTH_SECRET=${RANDOM} ${withSecret(values, 'node server.mjs')}`,
    next: openAndSignIn(`${originOf(redirectUri)}/auth/signin`),
  }
}

export function nextJs(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const code = `import NextAuth from 'next-auth'

const handler = NextAuth({
  providers: [
    {
      id: 'latchkey',
      name: 'Latchkey',
      type: 'oauth',
      wellKnown: ${quote(`${issuer}/.well-known/openid-configuration`)},
      clientId: ${quote(clientId)},
      clientSecret: process.env.LATCHKEY_CLIENT_SECRET,
      authorization: { params: { scope: 'openid profile email' } },
      idToken: true,
      // NextAuth.js sends a nonce only if it is listed here.
      checks: ['pkce', 'state', 'nonce'],
      profile: ({ sub, name, email, picture }) => ({ id: sub, name, email, image: picture }),
    },
  ],
})

export { handler as GET, handler as POST }
`
  const origin = originOf(redirectUri)
  return {
    files: [{ name: 'app/api/auth/[...nextauth]/route.js', code }],
    run: `npm install next-auth
NEXTAUTH_URL=${inShell(origin)} NEXTAUTH_SECRET=${RANDOM} \\
${withSecret(values, `npx next dev --port ${portOf(redirectUri, '3000')}`)}`,
    next: openAndSignIn(`${origin}/api/auth/signin`),
  }
}

export function passport(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const insecure = isInsecure(issuer)
    ? `
  undefined,
  // Only while Latchkey is on http, on your own machine.
  { execute: [oidc.allowInsecureRequests] },`
    : ''
  const code = `import { randomBytes } from 'node:crypto'
import express from 'express'
import session from 'express-session'
import * as oidc from 'openid-client'
import { Strategy } from 'openid-client/passport'
import passport from 'passport'

const config = await oidc.discovery(
  new URL(${quote(issuer)}),
  ${quote(clientId)},
  process.env.LATCHKEY_CLIENT_SECRET,${insecure}
)

// The strategy sends no nonce of its own, but it compares the one that is added here with the ID token.
class LatchkeyStrategy extends Strategy {
  authorizationRequestParams(request, options) {
    const params = new URLSearchParams(super.authorizationRequestParams(request, options))
    params.set('nonce', oidc.randomNonce())
    return params
  }
}

const options = { config, callbackURL: ${quote(redirectUri)}, scope: 'openid profile email' }
passport.use(
  'latchkey',
  new LatchkeyStrategy(options, (tokens, done) => done(null, { email: tokens.claims().email })),
)
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user, done) => done(null, user))

const app = express()
// Sessions end with the process. In production, set a fixed secret and a store.
app.use(session({ secret: randomBytes(32).toString('hex'), resave: false, saveUninitialized: false }))
app.use(passport.session())
app.get('/login', passport.authenticate('latchkey'))
app.get(${quote(pathOf(redirectUri))}, passport.authenticate('latchkey', { successRedirect: '/' }))
app.get('/', ({ user }, response) => {
  response.type('text').send(user ? 'Hello ' + user.email : 'You are not signed in.')
})
app.listen(${portOf(redirectUri, '8080')})
`
  return {
    files: [{ name: 'server.mjs', code }],
    run: `npm install express express-session passport openid-client
${withSecret(values, 'node server.mjs')}`,
    next: openAndSignIn(`${originOf(redirectUri)}/login`),
  }
}

export function expressOpenidConnect(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const code = `import { randomBytes } from 'node:crypto'
import express from 'express'
import openidConnect from 'express-openid-connect'

const { auth, requiresAuth } = openidConnect
const app = express()
app.use(
  auth({
    issuerBaseURL: ${quote(issuer)},
    baseURL: ${quote(originOf(redirectUri))},
    clientID: ${quote(clientId)},
    clientSecret: process.env.LATCHKEY_CLIENT_SECRET,
    // Sessions end with the process. In production, set a fixed secret.
    secret: randomBytes(32).toString('hex'),
    authRequired: false,
    idpLogout: true,
    routes: { callback: ${quote(pathOf(redirectUri))} },
    // The default of this library is the implicit flow.
    authorizationParams: { response_type: 'code', scope: 'openid profile email' },
  }),
)
app.get('/', requiresAuth(), (request, response) => {
  response.type('text').send('Hello ' + request.oidc.user.email)
})
app.listen(${portOf(redirectUri, '8080')})
`
  return {
    files: [{ name: 'server.mjs', code }],
    run: `npm install express express-openid-connect
${withSecret(values, 'node server.mjs')}`,
    next: openAndSignIn(homeOf(redirectUri)),
  }
}

export function betterAuth(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const origin = originOf(redirectUri)
  const code = `import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { toNodeHandler } from 'better-auth/node'
import { genericOAuth } from 'better-auth/plugins'

// Users and sessions end with the process. In production, add a database.
const auth = betterAuth({
  baseURL: ${quote(origin)},
  secret: process.env.BETTER_AUTH_SECRET,
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: 'latchkey',
          // better-auth sends a nonce if it knows the issuer from here.
          discoveryUrl: ${quote(`${issuer}/.well-known/openid-configuration`)},
          clientId: ${quote(clientId)},
          clientSecret: process.env.LATCHKEY_CLIENT_SECRET,
          scopes: ['openid', 'profile', 'email'],
          pkce: true,
        },
      ],
    }),
  ],
})
const handleAuth = toNodeHandler(auth)

async function answer(request, response) {
  const { pathname } = new URL(request.url, ${quote(origin)})
  if (pathname.startsWith('/api/auth/')) return handleAuth(request, response)
  if (pathname === '/login') {
    const { headers, response: reply } = await auth.api.signInSocial({
      body: { provider: 'latchkey', callbackURL: '/' },
      returnHeaders: true,
    })
    response.setHeaders(headers)
    return response.writeHead(303, { Location: reply.url }).end()
  }
  const session = await auth.api.getSession({ headers: new Headers({ cookie: request.headers.cookie ?? '' }) })
  response.end(session ? 'Hello ' + session.user.email : 'You are not signed in.')
}

createServer((request, response) =>
  answer(request, response).catch((error) => {
    console.error(error)
    response.writeHead(500).end('That did not work. The log says why.')
  }),
).listen(${portOf(redirectUri, '8080')})
`
  return {
    files: [{ name: 'server.mjs', code }],
    run: `npm install better-auth@latest
BETTER_AUTH_SECRET=${RANDOM} ${withSecret(values, 'node server.mjs')}`,
    next: openAndSignIn(`${origin}/login`),
  }
}
