import { expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import {
  basic,
  type Client,
  credentials,
  exchangeCode,
  getCode,
  NO_BODY_CREDENTIALS,
  requestToken,
} from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { rawRequest } from '../support/raw.ts'
import { CALLBACK, encodeFields, type Fields, unique } from '../support/service.ts'

const application = await newApplication()
const web = await newClient(application, 'WEB')
const other = await newClient(application, 'WEB')
const someone = await newPerson()

const newCode = async (client: Client = web) => getCode(await someone.signIn(), client)
const withBasic = (header: string, code: string) =>
  exchangeCode(web, code, NO_BODY_CREDENTIALS, { authorization: header })

test('T041: Basic alone is sufficient, without client_id in the body', async () => {
  const response = await exchangeCode(web, await newCode(), NO_BODY_CREDENTIALS, basic(web))
  expect(response.status).toBe(200)
})

test('T041: Basic with the same client_id in the body is accepted', async () => {
  const response = await exchangeCode(web, await newCode(), { client_secret: undefined }, basic(web))
  expect(response.status).toBe(200)
})

test('T041: both halves of Basic are form-urlencoded', async () => {
  const everyByte = (text: string) => text.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  const pair = `${everyByte(web.clientId)}:${everyByte(web.clientSecret)}`
  expect((await withBasic(`Basic ${btoa(pair)}`, await newCode())).status).toBe(200)
})

test('T041: a custom client_id that form-urlencoding changes authenticates by Basic and by post', async () => {
  const odd = await newClient(application, 'WEB', { clientId: unique('a.b_c~d') })
  expect((await exchangeCode(odd, await newCode(odd), NO_BODY_CREDENTIALS, basic(odd))).status).toBe(200)
  expect((await exchangeCode(odd, await newCode(odd))).status).toBe(200)
})

test('T044: the scheme is case-insensitive', async () => {
  const header = basic(web).authorization?.replace('Basic', 'basic') ?? ''
  expect((await withBasic(header, await newCode())).status).toBe(200)
})

test.each<[string, Fields, Record<string, string>, RegExp]>([
  ['Basic and a body secret', credentials(web), basic(web), /^invalid_request$/],
  ['Basic and a wrong body secret', { client_secret: 'wrong' }, basic(web), /^invalid_request$/],
  [
    'Basic of one client and client_id of another',
    { client_id: other.clientId, client_secret: undefined },
    basic(web),
    /^invalid_(request|client)$/,
  ],
  ['a good body and a broken Basic', credentials(web), { authorization: 'Basic %%%' }, /^invalid_(request|client)$/],
])('T042: %s is refused, and the code stays valid', async (_, fields, headers, error) => {
  const code = await newCode()
  const response = await exchangeCode(web, code, fields, headers)
  expect(response).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } })
  expect((await exchangeCode(web, code)).status).toBe(200)
})

test('T040: a refused Basic is 400 and names the scheme (D3)', async () => {
  const wrong = basic({ clientId: web.clientId, clientSecret: 'wrong' })
  const response = await exchangeCode(web, 'x', NO_BODY_CREDENTIALS, wrong)
  expect(response).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
  expect(response.headers.get('www-authenticate')).toMatch(/^Basic\b/)
})

test.each([
  ['the scheme alone', 'Basic'],
  ['the scheme and a space', 'Basic '],
  ['no base64', 'Basic %%%'],
  ['no colon', `Basic ${btoa('no colon')}`],
  ['a colon alone', `Basic ${btoa(':')}`],
  ['no secret', `Basic ${btoa(`${web.clientId}:`)}`],
  ['no id', `Basic ${btoa(`:${web.clientSecret}`)}`],
  ['broken escapes', `Basic ${btoa('%ZZ:%ZZ')}`],
  ['invalid UTF-8, escaped', `Basic ${btoa('%ff:%c0%af')}`],
  ['invalid UTF-8, raw', `Basic ${btoa('\xff:\xff')}`],
  ['U+0000, escaped', `Basic ${btoa('%00:%00')}`],
  ['U+0000, raw', `Basic ${btoa('a\0b:c\0d')}`],
  ['additional text', `${basic(web).authorization} x`],
  ['Bearer', 'Bearer abc'],
  ['Digest', 'Digest username="x"'],
  ['8 KB without a scheme', 'x'.repeat(8000)],
])('T044: an Authorization header with %s is 400', async (_, header) => {
  const response = await withBasic(header, 'x')
  expect(response.status).toBe(400)
  expect(response.body.error).toMatch(/^invalid_(client|request)$/)
})

test('T044: an Authorization of 1 MB is refused, and the next request is answered', async () => {
  // The service may close the connection before it has read everything.
  const status = await withBasic(`Basic ${'A'.repeat(1_000_000)}`, 'x').then(
    (response) => response.status,
    () => 431,
  )
  expect([400, 413, 431]).toContain(status)
  expect((await exchangeCode(web, await newCode())).status).toBe(200)
})

test('T044: two Authorization headers are 400, even if one is valid', async () => {
  const right = basic(web).authorization ?? ''
  const wrong = basic({ clientId: web.clientId, clientSecret: 'wrong' }).authorization ?? ''
  for (const [first, second] of [
    [right, wrong],
    [wrong, right],
    [right, right],
  ] as const) {
    const fields = { grant_type: 'authorization_code', code: await newCode(), redirect_uri: CALLBACK }
    const { status } = await rawRequest('/api/oauth/token', {
      method: 'POST',
      headers: [
        ...['Authorization', first, 'Authorization', second],
        ...['Content-Type', 'application/x-www-form-urlencoded'],
      ],
      body: encodeFields(fields).toString(),
    })
    expect(status).toBe(400)
  }
})

test('T040: a secret must match exactly: no prefix, suffix, letter case or padding is accepted', async () => {
  const { clientSecret } = web
  for (const guess of [clientSecret.slice(0, -1), `${clientSecret}x`, ` ${clientSecret}`, `${clientSecret}\0`]) {
    const response = await requestToken({
      grant_type: 'refresh_token',
      refresh_token: 'x',
      client_id: web.clientId,
      client_secret: guess,
    })
    expect(response.status).toBe(400)
    expect(response.body.error).toMatch(/^invalid_(client|request)$/)
  }
})
