import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign, verify } from 'node:crypto'
import { hash, verify as verifyArgon2 } from '@node-rs/argon2'
import Fastify, { type RouteShorthandOptions } from 'fastify'
import pg from 'pg'
import { pino } from 'pino'
import { Counter, Histogram, Registry } from 'prom-client'
import { readSettings, reportReady } from '../program.ts'

/** The best the machine can do: one route per operation that the service cannot avoid. */

const { host, port, databaseUrl } = readSettings()
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const { privateKey: ecKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
const app = Fastify({ logger: false })

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const kid = randomUUID()
const HEADERS_BY_TYPE = {
  rsa: encode({ alg: 'RS256', typ: 'at+jwt', kid }),
  ec: encode({ alg: 'ES256', typ: 'at+jwt', kid }),
}

/** As long as the claims of a person's access token. */
const createClaims = () => {
  const iat = Math.floor(Date.now() / 1000)
  return {
    iss: `http://localhost:${port}`,
    iat,
    exp: iat + 86_400,
    sub: randomUUID(),
    aud: randomUUID(),
    jti: `${randomUUID()}.${'x'.repeat(16)}`,
    client_id: 'bench-web',
    scope: 'openid offline_access',
    sid: randomUUID(),
    auth_time: iat,
    amr: ['pwd'],
    tenant_id: randomUUID(),
    roles: ['member'],
  }
}

function signToken(key: KeyObject): Promise<string> {
  const header = HEADERS_BY_TYPE[key.asymmetricKeyType === 'ec' ? 'ec' : 'rsa']
  const signed = `${header}.${encode(createClaims())}`
  return new Promise((resolve, reject) => {
    // Node ignores the encoding for RSA keys.
    sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, (error, signature) =>
      error ? reject(error) : resolve(`${signed}.${signature.toString('base64url')}`),
    )
  })
}

const Text = { type: 'string' } as const
const objectOf = (properties: object) => ({ type: 'object', properties })
const withResponse = (properties: object): RouteShorthandOptions => ({
  schema: { response: { 200: objectOf(properties) } },
})

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

app.get('/json', withResponse({ hasFeature: { type: 'boolean' } }), async () => ({ hasFeature: true }))

/** The same with what every response of the service has: security headers, a log line and two metrics. */
app.register(async (observed) => {
  const log = pino(pino.destination(process.platform === 'win32' ? 'nul' : '/dev/null'))
  const registry = new Registry()
  const requests = new Counter({
    name: 'requests_total',
    help: 'x',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'request_seconds',
    help: 'x',
    labelNames: ['method', 'route'],
    registers: [registry],
  })
  observed.addHook('onRequest', (request, reply, done) => {
    reply.headers(HEADERS).header('x-request-id', request.id)
    done()
  })
  observed.addHook('onResponse', (request, reply, done) => {
    const { method, id: reqId, ip } = request
    const [route, status] = [request.routeOptions.url, reply.statusCode]
    requests.inc({ method, route, status })
    seconds.observe({ method, route }, reply.elapsedTime / 1000)
    log.info({ reqId, method, route, status, ms: reply.elapsedTime, ip }, 'request')
    done()
  })
  observed.get('/observed', withResponse({ hasFeature: { type: 'boolean' } }), async () => ({ hasFeature: true }))
})

const tokenSchema = { access_token: Text, token_type: Text, expires_in: { type: 'integer' }, id_token: Text }

const createTokenResponse = async (key = privateKey) => ({
  access_token: await signToken(key),
  token_type: 'Bearer',
  expires_in: 600,
})

app.post('/sign/1', withResponse(tokenSchema), () => createTokenResponse())
app.post('/sign/es256', withResponse(tokenSchema), () => createTokenResponse(ecKey))

const createTwoTokenResponse = async () => ({
  ...(await createTokenResponse()),
  id_token: await signToken(privateKey),
})

app.post('/sign/2', withResponse(tokenSchema), createTwoTokenResponse)

/** Verified tokens, by hash. */
const verifiedTokens = new Map<string, { sub: string; exp: number }>()
const MAX_VERIFIED_TOKENS = 10_000

function verifyToken(token: string): { sub: string; exp: number } | undefined {
  const key = createHash('sha256').update(token).digest('base64')
  const cached = verifiedTokens.get(key)
  if (cached) return cached
  const at = token.lastIndexOf('.')
  const signature = Buffer.from(token.slice(at + 1), 'base64url')
  if (!verify('sha256', Buffer.from(token.slice(0, at)), publicKey, signature)) return undefined
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  if (verifiedTokens.size >= MAX_VERIFIED_TOKENS) verifiedTokens.delete(verifiedTokens.keys().next().value ?? '')
  verifiedTokens.set(key, claims)
  return claims
}

app.get('/verify', withResponse({ sub: Text }), async (request, reply) => {
  const claims = verifyToken((request.headers.authorization ?? '').slice('Bearer '.length))
  if (claims && claims.exp > Date.now() / 1000) return { sub: claims.sub }
  return reply.code(401).send({})
})

async function findThing(): Promise<{ name: string }> {
  const id = 1 + Math.floor(Math.random() * 1_000)
  const { rows } = await pool.query({
    name: 'one',
    text: 'select name from things where id = $1',
    values: [id],
  })
  return rows[0]
}

app.get('/select', withResponse({ name: Text }), findThing)

async function addNote(): Promise<string> {
  const id = randomUUID()
  await pool.query({
    name: 'add',
    text: 'insert into notes (id, name) values ($1, $2)',
    values: [id, 'note'],
  })
  return id
}

app.post('/insert', withResponse({ id: Text }), async () => ({ id: await addNote() }))

app.post('/insert/sign/2', withResponse(tokenSchema), async () => {
  await addNote()
  return createTwoTokenResponse()
})

/** Whether the ES256 signature of a DPoP proof is that of the key in its header. */
function verifyProof(proof: string): Promise<boolean> {
  const at = proof.lastIndexOf('.')
  const { jwk } = JSON.parse(Buffer.from(proof.slice(0, proof.indexOf('.')), 'base64url').toString())
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const signature = Buffer.from(proof.slice(at + 1), 'base64url')
  return new Promise((resolve, reject) => {
    verify(
      'sha256',
      Buffer.from(proof.slice(0, at)),
      { key, dsaEncoding: 'ieee-p1363' },
      signature,
      (error, isValid) => (error ? reject(error) : resolve(isValid)),
    )
  })
}

app.post('/insert/sign/2/proof', withResponse(tokenSchema), async (request, reply) => {
  if (!(await verifyProof(String(request.headers.dpop)))) return reply.code(400).send({})
  await addNote()
  return createTwoTokenResponse()
})

/** A pushed request: its parameters are stored. */
app.post('/push', { schema: { response: { 201: objectOf({ request_uri: Text }) } } }, async (_, reply) =>
  reply.code(201).send({ request_uri: await addNote() }),
)

/** An authorization by a pushed request: the session is read, then the request is replaced by a code. */
app.get<{ Querystring: { request_uri: string } }>('/authorize', async ({ query }, reply) => {
  await findThing()
  const code = randomUUID()
  const { rowCount } = await pool.query({
    name: 'use',
    text: 'with used as (delete from notes where id = $1 returning name) insert into notes (id, name) select $2, name from used',
    values: [query.request_uri, code],
  })
  return rowCount === 1 ? reply.redirect(`http://localhost:8080/callback?code=${code}`) : reply.code(400).send()
})

/** The parameters that the service uses. */
const ARGON2_PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const PASSWORD = randomUUID()
const passwordHash = await hash(PASSWORD, ARGON2_PARAMETERS)

app.post('/argon2', withResponse({ matches: { type: 'boolean' } }), async () => ({
  matches: await verifyArgon2(passwordHash, PASSWORD),
}))

await pool.query('create table things (id integer primary key, name text not null)')
await pool.query(`insert into things select i, 'thing ' || i from generate_series(1, 1000) as i`)
await pool.query('create table notes (id uuid primary key, name text not null, at timestamptz default now())')
await pool.query('analyze things')
await app.listen({ host, port })
reportReady({ token: await signToken(privateKey) })
