import { createHash, randomBytes } from 'node:crypto'
import { Command, Option } from 'commander'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { loadConfig, processEnvironment } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { DEMO_PASSWORD } from './demo-data.ts'
import { obtainDeviceTokens } from './token-device.ts'
import { call, postForm, type TokenResponse, toRefusal } from './token-requests.ts'

interface Options {
  user?: string
  device: boolean
  client: string
  clientSecret?: string
  tenant?: string
  scope: string
  resource?: string
  redirectUri: string
  url?: string
  decode: boolean
}

export const tokenCommand = new Command('token')
  .description('print the tokens of a user: of an account of the running demo, or of who allows it in a browser')
  .option('--user <address>', 'the address of a demo account, for the authorization code flow')
  .addOption(
    new Option('--device', 'ask whoever opens the shown page, with the device authorization grant')
      .default(false)
      .conflicts(['user', 'resource']),
  )
  .requiredOption('--client <client-id>', 'the client_id')
  .option('--client-secret <secret>', 'the secret of a confidential client')
  .option('--tenant <slug>', 'the tenant; required for a user with several')
  .option('--scope <scopes>', 'space-separated', 'openid profile email offline_access')
  .option('--resource <uri>', 'the resource that the access token is for')
  .option('--redirect-uri <uri>', 'as registered for the client', 'http://localhost:8080/callback')
  .option('--url <address>', 'the address of the service (BASE_URL)')
  .option('--decode', 'print the headers and claims of the tokens instead of the tokens', false)
  .action(async (options: Options) => {
    const url = options.url ?? loadConfig('demo', processEnvironment()).baseUrl
    if (!URL.canParse(url)) throw new OperatorError(`"${url}" is not an address such as http://localhost:3000.`)
    const baseUrl = new URL(url).origin
    const { user, device } = options
    if (user === undefined && !device) throw new OperatorError('Add --user with a demo account, or --device.')
    const tokens =
      user === undefined
        ? await obtainDeviceTokens(baseUrl, options)
        : await obtainTokens(baseUrl, { ...options, user })
    console.log(JSON.stringify(options.decode ? decodeTokens(tokens) : tokens, null, 2))
  })

/** The contents of the tokens that are JWTs. A refresh token is a random string and has none. */
const decodeTokens = (tokens: TokenResponse) =>
  Object.fromEntries(
    ['access_token', 'id_token'].flatMap((name) => {
      const token = tokens[name]
      if (typeof token !== 'string') return []
      return [[name, { header: decodeProtectedHeader(token), claims: decodeJwt(token) }]]
    }),
  )

/** Signs in, authorizes and exchanges the code, like a browser and an application. */
async function obtainTokens(baseUrl: string, options: Options & { user: string }): Promise<TokenResponse> {
  const verifier = randomBytes(32).toString('base64url')
  const cookie = await signIn(baseUrl, options.user)
  const code = await authorize(baseUrl, { ...options, cookie, verifier })
  const { client, clientSecret, redirectUri } = options
  const response = await postForm(`${baseUrl}/api/oauth/token`, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: client,
    code_verifier: verifier,
    client_secret: clientSecret,
  })
  if (!response.ok) throw toRefusal('The token endpoint', await response.json())
  return (await response.json()) as TokenResponse
}

async function signIn(baseUrl: string, email: string): Promise<string> {
  const response = await call(`${baseUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password: DEMO_PASSWORD }),
  })
  if (!response.ok) throw toRefusal('The sign-in', await response.json())
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

async function authorize(
  baseUrl: string,
  { client, redirectUri, scope, tenant, resource, cookie, verifier }: Options & { cookie: string; verifier: string },
): Promise<string> {
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: redirectUri,
    scope,
    nonce: randomBytes(16).toString('base64url'),
    // Not interactive: a required page is an error.
    prompt: 'none',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(tenant !== undefined && { tenant }),
    ...(resource !== undefined && { resource }),
  })
  const response = await call(`${baseUrl}/oauth/authorize?${parameters}`, {
    headers: { Cookie: cookie },
    redirect: 'manual',
  })
  const location = response.headers.get('location')
  if (location === null) {
    throw new OperatorError(
      'The authorization was refused: there is no such SPA or WEB client, or the redirect URI is not one of its own.',
    )
  }
  const body = new URL(location).searchParams
  const code = body.get('code')
  if (code === null) throw toRefusal('The authorization', Object.fromEntries(body))
  return code
}
