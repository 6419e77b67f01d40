import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newPasskey } from '../account/passkey-calls.ts'
import { call, logIn, newSomebody } from '../account/people.ts'
import { newPerson, type SsoWorld, startSsoWorld } from '../sso/world.ts'
import type { RequestOptions } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { cookieOf, PASSWORD } from '../support/world.ts'
import { figureIn, scrape } from './exposition.ts'

// Every way in is counted where it ends, once.

let world: SsoWorld
let service: TestService
let url: string
beforeAll(async () => {
  world = await startSsoWorld()
  service = world.service
  url = service.url
})
afterAll(() => world?.close())

const SIGN_INS = 'latchkey_sign_ins_total'
const SECOND_FACTORS = 'latchkey_second_factors_total'

/** What some work adds to the two figures, by name, method and outcome. */
async function countsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await tally()
  await work()
  const after = await tally()
  const grown = Object.entries(after).map(([key, value]) => [key, value - (before[key] ?? 0)] as const)
  return Object.fromEntries(grown.filter(([, value]) => value !== 0))
}

/** What is counted is there at once; what /metrics shows may be a moment old. */
async function tally(): Promise<Record<string, number>> {
  const figures = [SIGN_INS, SECOND_FACTORS].map((name) => service.ctx.figures.registry.getSingleMetric(name))
  const shown = await Promise.all(figures.map((figure) => figure?.get()))
  return Object.fromEntries(
    shown.flatMap((figure) =>
      (figure?.values ?? []).map(({ labels, value }) => [
        `${figure?.name} ${labels.method} ${labels.outcome}`,
        value,
      ]),
    ),
  )
}

const halfway = async (email: string) => cookieOf(await logIn(url, email, PASSWORD))
const post = (path: string, body: unknown, cookie = '') =>
  call(url + path, { method: 'POST', body, headers: { cookie } })

test('a password and the code of an app', async () => {
  const ann = await newSomebody(service)
  const { body } = await ann.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
  const code = () => {
    service.advance(30_000)
    return totpCode(body.secret as string, service.ctx.now())
  }
  const confirmed = await ann.call('POST', '/api/users/me/mfa/totp/verify', { code: code() })
  const [recoveryCode] = confirmed.body.recoveryCodes as string[]
  let cookie = ''
  const first = await countsOf(async () => {
    cookie = await halfway(ann.email)
  })
  expect(first).toEqual({ [`${SIGN_INS} password second_factor`]: 1 })
  const wrong = await countsOf(() => post('/api/auth/mfa', { code: '000 000' }, cookie))
  expect(wrong).toEqual({ [`${SECOND_FACTORS} totp refused`]: 1 })
  const right = await countsOf(() => post('/api/auth/mfa', { code: code() }, cookie))
  expect(right).toEqual({ [`${SECOND_FACTORS} totp ok`]: 1 })
  cookie = await halfway(ann.email)
  const recovered = await countsOf(() => post('/api/auth/mfa', { code: recoveryCode }, cookie))
  expect(recovered).toEqual({ [`${SECOND_FACTORS} recovery_code ok`]: 1 })
})

test('a passkey, in place of a password and after it', async () => {
  const ben = await newSomebody(service)
  const passkey = await newPasskey(service, ben)
  const show = async (cookie = '') => {
    const { body } = await post('/api/auth/passkey/options', {}, cookie)
    return post('/api/auth/passkey', passkey.get(body as unknown as RequestOptions), cookie)
  }
  expect(await countsOf(() => show())).toEqual({ [`${SIGN_INS} passkey ok`]: 1 })
  const cookie = await halfway(ben.email)
  expect(await countsOf(() => show(cookie))).toEqual({ [`${SECOND_FACTORS} passkey ok`]: 1 })
  const stale = passkey.get({ challenge: 'x'.repeat(43), rpId: '127.0.0.1' })
  expect(await countsOf(() => post('/api/auth/passkey', stale))).toEqual({
    [`${SIGN_INS} passkey refused`]: 1,
  })
})

test('an outside provider, that knows somebody, somebody else, or nobody', async () => {
  world.google.person = newPerson()
  const through = () => world.visitor().go(`${url}/sso/google`, (at) => at.endsWith('/account'))
  expect(await countsOf(through)).toEqual({ [`${SIGN_INS} sso ok`]: 1 })
  world.google.person = { ...newPerson(), email_verified: false }
  expect(await countsOf(through)).toEqual({ [`${SIGN_INS} sso refused`]: 1 })
  await world.okta.stop()
  const away = await countsOf(() => world.visitor().go(`${url}/sso/okta`))
  expect(away).toEqual({ [`${SIGN_INS} sso unavailable`]: 1 })
  const samples = await scrape(service)
  expect(
    figureIn(samples, 'latchkey_sso_requests_total', { provider: 'GOOGLE', outcome: 'ok' }),
  ).toBeGreaterThan(0)
  expect(figureIn(samples, 'latchkey_sso_requests_total', { provider: 'OKTA', outcome: 'failed' })).toBe(1)
})

test('somebody whose account is about to be deleted', async () => {
  const cleo = await newSomebody(service)
  await service.ctx.db
    .updateTable('users')
    .set({ deletion_requested_at: service.ctx.now() })
    .where('id', '=', cleo.id)
    .execute()
  expect(await countsOf(() => logIn(url, cleo.email, PASSWORD))).toEqual({
    [`${SIGN_INS} password scheduled`]: 1,
  })
})

test('a limit that lets somebody pass on their own device has refused nobody', async () => {
  const dora = await newSomebody(service)
  const account = createHash('sha256').update(dora.email).digest('base64url')
  const expire = Date.now() + 600_000
  await sql`insert into throttle values (${`sign-in-account:${account}`}, 100000, ${expire})`.execute(
    service.ctx.db,
  )
  const refusals = async () => {
    const figure = service.ctx.figures.registry.getSingleMetric('latchkey_rate_limit_refusals_total')
    const values = (await figure?.get())?.values ?? []
    return values.find(({ labels }) => labels.limiter === 'sign-in-account')?.value ?? 0
  }
  const known = await countsOf(() => logIn(url, dora.email, PASSWORD))
  expect(known).toEqual({ [`${SIGN_INS} password ok`]: 1 })
  expect(await refusals()).toBe(0)
  const credentials = { email: dora.email, password: PASSWORD }
  const headers = { 'user-agent': 'stranger' }
  const stranger = () => call(`${url}/api/auth/login`, { method: 'POST', body: credentials, headers })
  expect(await countsOf(stranger)).toEqual({ [`${SIGN_INS} password limited`]: 1 })
  expect(await refusals()).toBe(1)
})
