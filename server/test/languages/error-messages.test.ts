import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { admin, machineToken, obtainTokens, signIn, startDemoService } from '../support/world.ts'

let service: TestService
let machine: string
let clientId: string

beforeAll(async () => {
  service = await startDemoService()
  machine = await machineToken(service.url, 'demo-ops')
  const { clients } = await admin<{ clients: { id: string }[] }>(service.url, '/api/admin/clients', undefined, 'GET')
  clientId = clients[0]?.id ?? ''
})
afterAll(() => service.close())

interface Call {
  path: string
  method?: string
  body?: unknown
}

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

interface Problem {
  message: string
  details?: { field: string; message: string }[]
}

/** What the error says: the problem of its first field, or else its message. */
async function sentenceOf({ path, method = 'POST', body }: Call, headers: Record<string, string> = {}) {
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${machine}`, 'Content-Type': 'application/json', ...headers },
    ...(method !== 'GET' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const { message, details } = (await response.json()) as Problem
  return details?.[0] === undefined ? message : `${details[0].field} ${details[0].message}`
}

const CASES: [string, Call, string, string][] = [
  [
    'the message of a code',
    { method: 'GET', path: `/api/admin/users/${UNKNOWN}` },
    'There is no such user.',
    'Diesen Benutzer gibt es nicht.',
  ],
  [
    'the message of a code at an unknown address',
    { method: 'GET', path: '/api/nothing' },
    'There is nothing at this address.',
    'Unter dieser Adresse gibt es nichts.',
  ],
  [
    'a message with a number',
    { path: '/api/admin/users', body: { email: 'a@b.example', password: 'short' } },
    'The password must have at least 8 characters.',
    'Das Passwort muss mindestens 8 Zeichen haben.',
  ],
  [
    'the problem of a field',
    { path: '/api/admin/applications', body: { name: '   ' } },
    'name must have 1 to 120 characters, and one to be seen',
    'name muss 1 bis 120 Zeichen haben, davon mindestens ein sichtbares',
  ],
  [
    'a rule in a table',
    { path: '/api/admin/tenants', body: { name: 'www.example.com', slug: 'a' } },
    'name must hold no web address: no scheme such as https://, no www., no domain with a path',
    'name darf keine Webadresse enthalten: kein Schema wie https://, kein www., keine Domain mit Pfad',
  ],
  [
    'what the schema limits',
    { method: 'GET', path: '/api/admin/users?page=0' },
    'page must be >= 1',
    'page muss mindestens 1 sein',
  ],
  [
    'what the schema lists',
    { path: '/api/admin/clients', body: { applicationId: UNKNOWN, name: 'x', kind: 'X' } },
    'kind must be SPA, WEB or MACHINE',
    'kind muss SPA, WEB oder MACHINE sein',
  ],
  [
    'what the schema requires',
    { path: '/api/admin/applications', body: {} },
    'name is required',
    'name ist erforderlich',
  ],
  [
    'a body that cannot be parsed',
    { path: '/api/admin/applications', body: '{' },
    'The body is not valid JSON.',
    'Der Inhalt ist kein gültiges JSON.',
  ],
  [
    'a body that is too large',
    { path: '/api/admin/applications', body: `"${'x'.repeat(1_100_000)}"` },
    'The request body is too large.',
    'Der Inhalt der Anfrage ist zu groß.',
  ],
  [
    'a body that is null',
    { path: '/api/admin/applications', body: 'null' },
    'body must be object',
    'body muss vom Typ object sein',
  ],
]

test.each(CASES)(
  '%s is in the language of the header, and without it in English',
  async (_kind, call, english, german) => {
    expect(await sentenceOf(call, { 'Latchkey-Language': 'de' })).toBe(german)
    expect(await sentenceOf(call)).toBe(english)
    // Programs often send the language of the computer.
    expect(await sentenceOf(call, { 'Accept-Language': 'de', cookie: 'latchkey_language=de' })).toBe(english)
  },
)

test('the redirect URI of a client is explained, and people get the same sentences', async () => {
  const call = {
    method: 'PATCH',
    path: `/api/admin/clients/${clientId}`,
    body: { redirectUris: ['https://a.example/#x'] },
  }
  expect(await sentenceOf(call, { 'Latchkey-Language': 'fr' })).toBe('redirectUris.0 ne doit pas avoir de fragment')
  expect(await sentenceOf(call)).toBe('redirectUris.0 must not have a fragment')
  const cookie = await signIn(service.url, 'mia@acme.test')
  const { access_token } = await obtainTokens(service.url, cookie)
  const person = { authorization: `Bearer ${access_token}` }
  const refused = { method: 'GET', path: '/api/admin/users' }
  expect(await sentenceOf(refused, { ...person, 'Latchkey-Language': 'ja' })).toBe('この操作を行う権限がありません。')
  expect(await sentenceOf(refused, person)).toBe('You may not do this.')
})

test.each([
  ['empty', ''],
  ['another language', 'xx'],
  ['a list', 'de, ja'],
  ['any', '*'],
  ['a name that objects have', '__proto__'],
  ['a path', '../../de'],
  ['markup', '<script>'],
  ['10 KB', 'x'.repeat(10_000)],
  ['10 KB of separators', `${'-'.repeat(10_000)}de`],
])('a header that names no language counts as none: %s', async (_name, header) => {
  const [[, call, english]] = CASES as [(typeof CASES)[number]]
  expect(await sentenceOf(call, { 'Latchkey-Language': header })).toBe(english)
})

test('the case and the region of the language do not matter', async () => {
  const [[, call, , german]] = CASES as [(typeof CASES)[number]]
  for (const header of ['DE', ' de ', 'de-AT']) {
    expect(await sentenceOf(call, { 'Latchkey-Language': header })).toBe(german)
  }
})

test('the errors of OAuth stay in English', async () => {
  const response = await fetch(`${service.url}/api/oauth/token`, {
    method: 'POST',
    headers: { 'Latchkey-Language': 'ja' },
    body: new URLSearchParams({ grant_type: 'x'.repeat(70_000) }),
  })
  expect(await response.json()).toMatchObject({ error_description: 'The request body is too large.' })
})

/** The bodies of the responses to raw requests on one connection. */
async function sendRaw(parts: string[], pauseMs: number): Promise<Problem[]> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  const closed = once(socket, 'close')
  let received = ''
  socket.setEncoding('utf8').on('data', (text) => {
    received += text
  })
  for (const part of parts) {
    socket.write(part)
    await sleep(pauseMs)
  }
  await closed
  return [...received.matchAll(/\{"statusCode".*?\}(?=HTTP|$)/g)].map(([json]) => JSON.parse(json) as Problem)
}

const toRaw = (body: string, headers: string[]) =>
  [
    'POST /api/admin/applications HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${machine}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...headers,
    '',
    body,
  ].join('\r\n')

test.each([
  ['{"name":"   "}', '1 bis 120 Zeichen'],
  ['{"name":12345}', 'vom Typ string'],
  ['{"name":"abc",', 'kein gültiges JSON'],
])('the language is that of the header for a body that arrives in parts: %s', async (body, sentence) => {
  const raw = toRaw(body, ['Latchkey-Language: de', 'Connection: close'])
  const start = raw.length - body.length
  const parts = [raw.slice(0, 40), raw.slice(40, start), ...[...body].map((character) => character)]
  expect(JSON.stringify(await sendRaw(parts, 5))).toContain(sentence)
})

test('a header that is sent twice counts as none', async () => {
  const headers = ['Latchkey-Language: de', 'Latchkey-Language: ja', 'Connection: close']
  expect(await sendRaw([toRaw('{}', headers)], 0)).toMatchObject([{ details: [{ message: 'is required' }] }])
})

test('requests in a pipeline keep their languages', async () => {
  const languages = [['Latchkey-Language: de'], [], ['Latchkey-Language: ja'], [], ['Latchkey-Language: de']]
  const raw = languages.map((headers, index) =>
    toRaw('{}', index === languages.length - 1 ? [...headers, 'Connection: close'] : headers),
  )
  const problems = await sendRaw([raw.join('')], 0)
  const sentences = problems.map(({ details }) => details?.[0]?.message)
  expect(sentences).toEqual(['ist erforderlich', 'is required', '必須です', 'is required', 'ist erforderlich'])
})

test('simultaneous requests in several languages do not mix', async () => {
  const calls = CASES.filter(([, { body }]) => typeof body !== 'string' || body.length < 100)
  for (const _round of rounds(200)) {
    const sentences = await Promise.all(
      calls.flatMap(([, call]) => [sentenceOf(call, { 'Latchkey-Language': 'de' }), sentenceOf(call)]),
    )
    expect(sentences).toEqual(calls.flatMap(([, , english, german]) => [german, english]))
  }
})

test('requests that share one statement keep their languages', async () => {
  const headers = { authorization: `Bearer ${await machineToken(service.url, 'demo-machine')}` }
  const body = { userId: UNKNOWN, applicationId: UNKNOWN, licenseTypeId: UNKNOWN }
  const call = { path: '/api/integration/licenses/grant', body }
  const sentences = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      sentenceOf(call, { ...headers, ...(index % 2 === 0 && { 'Latchkey-Language': 'de' }) }),
    ),
  )
  const [english, german] = [
    'There is no application with this applicationId.',
    'Es gibt keine Anwendung mit dieser applicationId.',
  ]
  expect(sentences).toEqual(sentences.map((_, index) => (index % 2 === 0 ? german : english)))
})

test('the stored response of an Idempotency-Key is repeated as it was, in any language', async () => {
  const call = { path: '/api/admin/tenants', body: { name: ' ', slug: 'a' } }
  const german = { 'Idempotency-Key': 'languages-1', 'Latchkey-Language': 'de' }
  const first = await sentenceOf(call, german)
  expect(first).toMatch(/^name muss/)
  expect(await sentenceOf(call, { 'Idempotency-Key': 'languages-1' })).toBe(first)
  const second = await sentenceOf(call, { 'Idempotency-Key': 'languages-2' })
  expect(second).toMatch(/^name must/)
  expect(await sentenceOf(call, { ...german, 'Idempotency-Key': 'languages-2' })).toBe(second)
})
