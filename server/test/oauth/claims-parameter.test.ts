import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import {
  authorize,
  authorizeUrl,
  claimsOf,
  exchange,
  findIds,
  PASSWORD,
  signIn,
  startDemoService,
} from '../support/world.ts'

let service: TestService
let url: string
let cookie: string
let mia: string
let olivia: string

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
  mia = (await findIds(service, 'mia@acme.test', 'acme')).userId
  olivia = (await findIds(service, 'olivia@acme.test', 'acme')).userId
})
afterAll(() => service.close())

const NOBODY = '00000000-0000-4000-8000-000000000000'
const ask = (claims: unknown, parameters: Record<string, string> = {}) =>
  authorize(url, cookie, { claims: JSON.stringify(claims), ...parameters })

/** The names stand for the ids of users. */
const withIds = (claims: object) =>
  JSON.parse(JSON.stringify(claims).replaceAll('"MIA"', `"${mia}"`).replaceAll('"OLIVIA"', `"${olivia}"`))

test.each<object>([
  { id_token: { sub: { value: 'MIA' } } },
  { id_token: { sub: { value: 'MIA', essential: true } }, userinfo: { sub: { value: 'MIA' } } },
  { userinfo: { sub: { values: ['OLIVIA', 'MIA'] } } },
  { id_token: { sub: null, email: { essential: true } } },
  { id_token: { sub: { essential: true } } },
  { id_token: null, userinfo: 'x' },
  {},
])('%j gives a code for the user who is signed in', async (claims) => {
  const { answer } = await ask(withIds(claims), { prompt: 'none' })
  const { body } = await exchange(url, answer.code)
  expect(claimsOf(body.id_token).sub).toBe(mia)
})

test.each<object>([
  { id_token: { sub: { value: 'OLIVIA' } } },
  { userinfo: { sub: { value: 'OLIVIA' } } },
  { id_token: { sub: { value: 'MIA' } }, userinfo: { sub: { value: 'OLIVIA' } } },
  { id_token: { sub: { value: 'MIA', values: ['OLIVIA'] } } },
  { id_token: { sub: { values: [] } } },
  { id_token: { sub: { value: NOBODY } } },
  { id_token: { sub: { value: 5 } } },
  { id_token: { sub: { value: null } } },
  { id_token: { sub: { values: { MIA: 'MIA' } } } },
])('%j is login_required while another user is signed in', async (claims) => {
  const silent = await ask(withIds(claims), { prompt: 'none' })
  expect(silent.answer).toMatchObject({ error: 'login_required', state: 'st' })
  expect((await ask(withIds(claims))).location).toMatch(/^\/login\?journey=/)
})

test('an id_token_hint and a sub that name different users match nobody', async () => {
  const { answer } = await authorize(url, cookie)
  const { body } = await exchange(url, answer.code)
  const parameters = { prompt: 'none', id_token_hint: body.id_token }
  expect((await ask({ id_token: { sub: { value: mia } } }, parameters)).answer).toHaveProperty('code')
  expect((await ask({ id_token: { sub: { value: olivia } } }, parameters)).answer.error).toBe('login_required')
})

test.each([
  ['mia@acme.test', 'error', 'login_required'],
  ['olivia@acme.test', 'state', 'st'],
])('after the sign-in of %s the answer has the %s %s', async (email, name, value) => {
  const tab = openTab(url, cookie)
  const claims = JSON.stringify({ id_token: { sub: { value: olivia } } })
  await tab.open((await tab.open(authorizeUrl('', { claims, tenant: 'acme' }))).location)
  const done = await tab.open((await tab.submit({ email, password: PASSWORD })).location)
  const answer = new URL(done.location).searchParams
  expect(answer.get(name)).toBe(value)
  expect(answer.has('code')).toBe(email === 'olivia@acme.test')
})
