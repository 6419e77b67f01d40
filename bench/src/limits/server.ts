import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign, verify } from 'node:crypto'
import { hash, verify as verifyArgon2 } from '@node-rs/argon2'
import Fastify, { type RouteShorthandOptions } from 'fastify'
import pg from 'pg'
import { readSettings, tellReady } from '../program.ts'

/** What the machine can do at best: one route for each thing that the service cannot do without. */

const { host, port, databaseUrl } = readSettings()
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
const app = Fastify({ logger: false })

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEADER = encode({ alg: 'RS256', typ: 'at+jwt', kid: randomUUID() })

/** Claims as long as those of a person's access token. */
const claims = () => {
  const iat = Math.floor(Date.now() / 1000)
  return {
    ...{ iss: `http://localhost:${port}`, iat, exp: iat + 86_400, sub: randomUUID(), aud: randomUUID() },
    ...{ jti: `${randomUUID()}.${'x'.repeat(16)}`, client_id: 'bench-web', scope: 'openid offline_access' },
    ...{ sid: randomUUID(), auth_time: iat, amr: ['pwd'], tenant_id: randomUUID(), roles: ['member'] },
  }
}

function signToken(key: KeyObject): Promise<string> {
  const signed = `${HEADER}.${encode(claims())}`
  return new Promise((resolve, reject) => {
    sign('sha256', Buffer.from(signed), key, (error, signature) =>
      error ? reject(error) : resolve(`${signed}.${signature.toString('base64url')}`),
    )
  })
}

const Text = { type: 'string' } as const
const objectOf = (properties: object) => ({ type: 'object', properties })
const replying = (properties: object): RouteShorthandOptions => ({
  schema: { response: { 200: objectOf(properties) } },
})

app.get('/json', replying({ hasFeature: { type: 'boolean' } }), async () => ({ hasFeature: true }))

const tokenReply = { access_token: Text, token_type: Text, expires_in: { type: 'integer' }, id_token: Text }

const tokenAnswer = async () => ({
  access_token: await signToken(privateKey),
  token_type: 'Bearer',
  expires_in: 600,
})

app.post('/sign/1', replying(tokenReply), tokenAnswer)

const tokensAnswer = async () => ({ ...(await tokenAnswer()), id_token: await signToken(privateKey) })

app.post('/sign/2', replying(tokenReply), tokensAnswer)

/** Tokens that were verified before, by their hash. */
const known = new Map<string, { sub: string; exp: number }>()
const MOST_KNOWN = 10_000

function readToken(token: string): { sub: string; exp: number } | undefined {
  const name = createHash('sha256').update(token).digest('base64')
  const seen = known.get(name)
  if (seen) return seen
  const at = token.lastIndexOf('.')
  const signature = Buffer.from(token.slice(at + 1), 'base64url')
  if (!verify('sha256', Buffer.from(token.slice(0, at)), publicKey, signature)) return undefined
  const read = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value ?? '')
  known.set(name, read)
  return read
}

app.get('/verify', replying({ sub: Text }), async (request, reply) => {
  const found = readToken((request.headers.authorization ?? '').slice('Bearer '.length))
  if (found && found.exp > Date.now() / 1000) return { sub: found.sub }
  return reply.code(401).send({})
})

app.get('/select', replying({ name: Text }), async () => {
  const id = 1 + Math.floor(Math.random() * 1_000)
  const { rows } = await pool.query({
    name: 'one',
    text: 'select name from things where id = $1',
    values: [id],
  })
  return rows[0]
})

async function addNote(): Promise<string> {
  const id = randomUUID()
  await pool.query({
    name: 'add',
    text: 'insert into notes (id, name) values ($1, $2)',
    values: [id, 'note'],
  })
  return id
}

app.post('/insert', replying({ id: Text }), async () => ({ id: await addNote() }))

app.post('/insert/sign/2', replying(tokenReply), async () => {
  await addNote()
  return tokensAnswer()
})

/** The parameters of the service's own passwords. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const PASSWORD = randomUUID()
const passwordHash = await hash(PASSWORD, PARAMETERS)

app.post('/argon2', replying({ matches: { type: 'boolean' } }), async () => ({
  matches: await verifyArgon2(passwordHash, PASSWORD),
}))

await pool.query('create table things (id integer primary key, name text not null)')
await pool.query(`insert into things select i, 'thing ' || i from generate_series(1, 1000) as i`)
await pool.query('create table notes (id uuid primary key, name text not null, at timestamptz default now())')
await pool.query('analyze things')
await app.listen({ host, port })
tellReady({ token: await signToken(privateKey) })
