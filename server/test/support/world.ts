import { createHash, randomBytes } from 'node:crypto'
import { newId } from '../../src/lib/ids.ts'
import { TEMPLATES } from './database.ts'
import { startService, type TestService } from './service.ts'

/** Starts a service with the demo data: users, tenants, application and clients. */
export const startDemoService = (options: Parameters<typeof startService>[0] = {}): Promise<TestService> =>
  startService({ template: TEMPLATES.demo, ...options })

export const PASSWORD = 'latchkey-demo-2026'
export const CALLBACK = 'http://localhost:8080/callback'

export interface Tokens {
  access_token: string
  refresh_token: string
  id_token: string
  scope: string
  error?: string
}

export async function findIds({ ctx }: TestService, email: string, slug: string) {
  const user = await ctx.db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()
  const tenant = await ctx.db.selectFrom('tenants').select('id').where('slug', '=', slug).executeTakeFirstOrThrow()
  return { userId: user.id, tenantId: tenant.id }
}

/** Adds a user to a tenant, directly in the database. */
export async function addMember(service: TestService, email: string, slug: string, status = 'ACTIVE' as const) {
  const { userId, tenantId } = await findIds(service, email, slug)
  const now = new Date()
  await service.ctx.db
    .insertInto('memberships')
    .values({
      id: newId(),
      tenant_id: tenantId,
      user_id: userId,
      role: 'member',
      status,
      joined_at: now,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet({ status }))
    .execute()
}

/** Signs in through the API and returns the cookies. */
export async function signIn(url: string, email: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  if (response.status !== 200) throw new Error(`sign-in of ${email}: ${response.status} ${await response.text()}`)
  return cookieOf(response)
}

export const cookieOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')

export const VERIFIER = randomBytes(32).toString('base64url')

export const authorizeUrl = (url: string, parameters: Record<string, string> = {}): string => {
  const query = new URLSearchParams({
    client_id: 'demo-spa',
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid profile email offline_access',
    state: 'st',
    nonce: 'n',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    ...parameters,
  })
  return `${url}/oauth/authorize?${query}`
}

/** Sends an authorization request, and parses the redirect. */
export async function authorize(url: string, cookie: string, parameters: Record<string, string> = {}) {
  const response = await fetch(authorizeUrl(url, parameters), { headers: { cookie }, redirect: 'manual' })
  const location = response.headers.get('location') ?? ''
  const answer = Object.fromEntries(URL.canParse(location) ? new URL(location).searchParams : [])
  return { response, location, answer: answer as Record<string, string | undefined> }
}

/** Calls the token endpoint. */
export async function token(url: string, form: Record<string, string>): Promise<{ status: number; body: Tokens }> {
  const response = await fetch(`${url}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
  return { status: response.status, body: (await response.json()) as Tokens }
}

export const exchange = (url: string, code: string | undefined, form: Record<string, string> = {}) =>
  token(url, {
    grant_type: 'authorization_code',
    client_id: 'demo-spa',
    redirect_uri: CALLBACK,
    code: code ?? '',
    code_verifier: VERIFIER,
    ...form,
  })

export const refresh = (url: string, refreshToken: string, form: Record<string, string> = {}) =>
  token(url, { grant_type: 'refresh_token', client_id: 'demo-spa', refresh_token: refreshToken, ...form })

/** Runs the authorization code flow with a session cookie. */
export async function obtainTokens(url: string, cookie: string, parameters: Record<string, string> = {}) {
  const { answer } = await authorize(url, cookie, parameters)
  const { status, body } = await exchange(url, answer.code)
  if (status !== 200) throw new Error(`no tokens: ${JSON.stringify({ answer, body })}`)
  return body
}

export const machineToken = async (url: string, client: 'demo-machine' | 'demo-ops'): Promise<string> => {
  const { body } = await token(url, {
    grant_type: 'client_credentials',
    client_id: client,
    client_secret: `${client}-secret`,
  })
  return body.access_token
}

/** The status of the userinfo endpoint for a token: 200 while it is valid. */
export const userinfo = async (url: string, accessToken: string): Promise<number> =>
  (await fetch(`${url}/api/oauth/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })).status

export async function introspect(url: string, introspected: string, client = 'demo-ops') {
  const response = await fetch(`${url}/api/oauth/introspect`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client}:${client}-secret`)}` },
    body: new URLSearchParams({ token: introspected }),
  })
  return (await response.json()) as { active: boolean } & Record<string, unknown>
}

/** Calls an administrator route with the token of the machine client demo-ops. */
export async function admin<T>(url: string, path: string, body: unknown, method = 'POST'): Promise<T> {
  const response = await fetch(url + path, {
    method,
    headers: {
      'Content-Type': 'application/json',
      authorization: `Bearer ${await machineToken(url, 'demo-ops')}`,
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

/** Changes settings of the client with this client id. */
export async function changeClient({ ctx, url }: TestService, clientId: string, settings: object) {
  const { id } = await ctx.db
    .selectFrom('clients')
    .select('id')
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow()
  return admin(url, `/api/admin/clients/${id}`, settings, 'PATCH')
}

/** Creates a third-party application with one public client. */
export async function thirdParty(url: string, name = 'Partner Reports') {
  const application = await admin<{ id: string }>(url, '/api/admin/applications', { name, trusted: false })
  return admin<{ id: string; clientId: string }>(url, '/api/admin/clients', {
    applicationId: application.id,
    kind: 'SPA',
    name: 'Web',
    redirectUris: [CALLBACK],
    postLogoutRedirectUris: ['http://localhost:8080/'],
  })
}

export const claimsOf = (jwt: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
