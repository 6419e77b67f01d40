import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logIn } from '../account/people.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { freePort, type Program, READY, run, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import { type Mailserver, startMailserver } from '../support/smtp.ts'
import { cookieOf, obtainTokens, PASSWORD, signIn } from '../support/world.ts'
import { type Collector, startCollector } from './collector.ts'

const SERVER = 2
const CLIENT = 3
const CONSUMER = 5

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database?.close())

interface Running extends Program {
  url: string
}

/** Starts the program in its own process. */
async function start(env: Record<string, string>): Promise<Running> {
  const port = await freePort()
  const program = run(['demo'], {
    env: {
      PORT: port,
      HOST: '127.0.0.1',
      DATABASE_URL: database.url,
      LATCHKEY_DATA_DIR: join(tempFolder(), 'data'),
      LATCHKEY_ENCRYPTION_KEY: KEY,
      ...env,
    },
  })
  await program.prints(READY)
  return { ...program, url: `http://127.0.0.1:${port}` }
}

/** All processes share one database. */
const KEY = randomBytes(32).toString('base64')

async function stop({ child, exited }: Program): Promise<number | null> {
  child.kill('SIGTERM')
  return (await exited).code
}

describe('with a collector', () => {
  let collector: Collector
  let mailserver: Mailserver
  let service: Running
  beforeAll(async () => {
    collector = await startCollector()
    mailserver = await startMailserver()
    service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k%20ey, other=x',
      OTEL_SERVICE_NAME: 'identity',
      SMTP_URL: mailserver.url,
      SSO_PROVIDERS: 'OKTA',
      SSO_OKTA_CLIENT_ID: 'client',
      SSO_OKTA_CLIENT_SECRET: 'provider-s3cret',
      // It responds, but it is not an OpenID provider.
      SSO_OKTA_ISSUER: collector.url,
    })
  })
  afterAll(async () => {
    if (service) await stop(service)
    await mailserver?.close()
    await collector?.close()
  })

  const traceOf = (traceId: string) => collector.spans().filter((span) => span.traceId === traceId)

  test('a sign-in is one span with its statements as children', async () => {
    const response = await logIn(service.url, 'mia@acme.test', PASSWORD)
    expect(response.status).toBe(200)
    const span = await collector.finds('POST /api/auth/login')
    expect(span).toMatchObject({ kind: SERVER, parentSpanId: undefined, failed: false })
    expect(span.facts).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/auth/login',
      'http.response.status_code': 200,
      'latchkey.request_id': response.headers.get('x-request-id'),
    })
    const children = traceOf(span.traceId).filter(({ spanId }) => spanId !== span.spanId)
    expect(children.length).toBeGreaterThan(3)
    expect(children.every(({ parentSpanId, kind }) => parentSpanId === span.spanId && kind === CLIENT)).toBe(true)
    expect(children.map(({ name }) => name)).toEqual(expect.arrayContaining(['select users', 'insert sessions']))
    const statement = children.find(({ name }) => name === 'select users')
    expect(statement?.facts).toMatchObject({
      'db.system.name': 'postgresql',
      'db.query.text': expect.stringMatching(/^select .* = \$1/),
    })
  })

  test.runIf(FULL)('the log line of a request contains the trace id', async () => {
    const { traceId, facts } = await collector.finds('POST /api/auth/login')
    const isLine = (text: string) =>
      text.includes('"msg":"request"') && text.includes(String(facts['latchkey.request_id']))
    const line = await eventually(async () => service.output().split('\n').slice(0, -1).find(isLine))
    expect(JSON.parse(line)).toMatchObject({ traceId, route: '/api/auth/login' })
  })

  test('the trace of a caller is continued, unless it is not sampled', async () => {
    const [kept, dropped] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')]
    const parent = randomBytes(8).toString('hex')
    await fetch(`${service.url}/docs`, { headers: { traceparent: `00-${dropped}-${parent}-00` } })
    await fetch(`${service.url}/docs`, { headers: { traceparent: `00-${kept}-${parent}-01` } })
    const span = await collector.finds('GET /docs')
    expect(span).toMatchObject({ traceId: kept, parentSpanId: parent })
    expect(traceOf(dropped)).toEqual([])
  })

  const invalid = [
    `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
    'x',
    '00-0-0-01',
    `ff-${'1'.repeat(32)}-${'1'.repeat(16)}-01`,
  ]

  test.each(FULL ? invalid : invalid.slice(0, 1))('the invalid header %s is ignored', async (traceparent) => {
    const response = await fetch(`${service.url}/openapi.json`, { headers: { traceparent } })
    expect(response.status).toBe(200)
    const id = response.headers.get('x-request-id')
    const find = async () => collector.spans().find(({ facts }) => facts['latchkey.request_id'] === id)
    const span = await eventually(find)
    expect(span.parentSpanId).toBeUndefined()
    expect(span.traceId).toMatch(/^(?!0{32}|1{32})[0-9a-f]{32}$/)
  })

  test('jobs and mail are spans, and the mail is a child of its job', async () => {
    await fetch(`${service.url}/api/auth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'newcomer@people.test', password: 'correct horse battery 9' }),
    })
    const mail = await collector.finds('send mail')
    const isJob = ({ spanId }: { spanId: string }) => spanId === mail.parentSpanId
    const job = await eventually(async () => collector.spans().find(isJob))
    expect(job).toMatchObject({ name: 'job deliver_mail', kind: CONSUMER, traceId: mail.traceId })
    expect(mail).toMatchObject({ kind: CLIENT, failed: false })
  })

  test.runIf(FULL)('a request to an SSO provider is a span without trace headers', async () => {
    const before = collector.headers.length
    await fetch(`${service.url}/sso/okta`, { redirect: 'manual' })
    const request = await collector.finds('ask OKTA')
    const isParent = ({ spanId }: { spanId: string }) => spanId === request.parentSpanId
    const parentSpan = await eventually(async () => collector.spans().find(isParent))
    expect(parentSpan.name).toBe('GET /sso/:provider')
    expect(request.facts).toEqual({
      'http.request.method': 'GET',
      'server.address': '127.0.0.1',
      'http.response.status_code': 200,
    })
    expect(collector.headers.slice(before).every(({ traceparent }) => traceparent === undefined)).toBe(true)
  })

  test.runIf(FULL)('unknown paths share one route name, and health checks are not traced', async () => {
    await fetch(`${service.url}/made/up/quokka?token=s3cret`)
    await fetch(`${service.url}/health/ready`)
    const span = await collector.finds('GET unmatched')
    expect(span.facts).toMatchObject({ 'http.route': 'unmatched', 'http.response.status_code': 404 })
    expect(collector.spans().filter(({ name }) => /health|metrics/.test(name))).toEqual([])
  })

  test('traces contain no secrets or personal data, and are sent with the configured headers', async () => {
    const cookie = await signIn(service.url, 'olivia@acme.test')
    const tokens = await obtainTokens(service.url, cookie)
    const wrong = await logIn(service.url, 'adam@acme.test', 'n0t-the-password')
    await fetch(`${service.url}/api/users/me`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    await collector.finds('GET /api/users/me')
    const sent = collector.texts.join('\n')
    const secrets = [PASSWORD, 'n0t-the-password', cookie.split('=')[1] ?? '', KEY, 'provider-s3cret']
    const held = [...secrets, tokens.access_token, tokens.refresh_token, tokens.id_token, cookieOf(wrong)]
    for (const secret of held.filter((text) => text !== '')) expect(sent).not.toContain(secret)
    expect(sent).not.toMatch(/@|acme|olivia|s3cret|quokka|latchkey-demo/)
    expect(sent).toContain('"identity"')
    const posts = collector.headers.filter((headers) => headers['api-key'] !== undefined)
    expect(posts[0]).toMatchObject({ 'api-key': 'k ey', other: 'x', 'content-type': 'application/json' })
  })
})

test.runIf(FULL)('pending spans are sent before a stop', async () => {
  const collector = await startCollector()
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` })
  await fetch(`${service.url}/docs`)
  expect(await stop(service)).toBe(0)
  expect(collector.spans().map(({ name }) => name)).toContain('GET /docs')
  await collector.close()
})

test.runIf(FULL)('an unreachable collector is logged once and delays neither requests nor a stop', async () => {
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` })
  const statuses = new Set<number>()
  for (let i = 0; i < 300; i++) statuses.add((await fetch(`${service.url}/docs`)).status)
  expect([...statuses]).toEqual([200])
  await service.prints('traces cannot be sent')
  for (let i = 0; i < 50; i++) await fetch(`${service.url}/docs`)
  // A stop that takes too long has another exit code.
  expect(await stop(service)).toBe(0)
  expect(service.output().match(/traces cannot be sent/g)).toHaveLength(1)
  expect(service.output()).not.toMatch(/ECONNREFUSED.*\n.*ECONNREFUSED/)
})

/** Prints at exit how many OpenTelemetry modules were loaded, without the API that the metrics use. */
const SPY = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module'
  process.on('exit', () => {
    const loaded = Object.keys(createRequire('file:///').cache).filter((path) => /@opentelemetry.(?!api.)/.test(path))
    console.log('MODULES LOADED: ' + loaded.length)
  })
`)}`

test.runIf(FULL).each([
  ['is not loaded without a collector', /MODULES LOADED: 0\n/, {}],
  ['is loaded with a collector', /MODULES LOADED: [1-9]/, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }],
])('the tracing library %s', async (_name, expected, env) => {
  const service = await start({ ...env, NODE_OPTIONS: `--import=${SPY}` })
  await fetch(`${service.url}/docs`)
  expect(await stop(service)).toBe(0)
  expect(service.output()).toMatch(expected)
})
