import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPasskey } from '../account/passkey-calls.ts'
import { call, createSignedInUser, logIn } from '../account/people.ts'
import { newUpstreamUser, type SsoWorld, startSsoWorld } from '../sso/world.ts'
import type { RequestOptions } from '../support/authenticator.ts'
import { countRefusals } from '../support/rate-limits.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { cookieOf, PASSWORD } from '../support/world.ts'
import { scrape, sumSamples } from './exposition.ts'

// Every sign-in method is counted once, with its outcome.

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

/** The increase of both metrics by the work, by name, method and outcome. */
async function countIncrease(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await readCounters()
  await work()
  const after = await readCounters()
  const increases = Object.entries(after).map(([key, value]) => [key, value - (before[key] ?? 0)] as const)
  return Object.fromEntries(increases.filter(([, value]) => value !== 0))
}

/** Reads the registry, because /metrics may be cached. */
async function readCounters(): Promise<Record<string, number>> {
  const metrics = [SIGN_INS, SECOND_FACTORS].map((name) => service.ctx.metrics.registry.getSingleMetric(name))
  const results = await Promise.all(metrics.map((metric) => metric?.get()))
  return Object.fromEntries(
    results.flatMap((metric) =>
      (metric?.values ?? []).map(({ labels, value }) => [`${metric?.name} ${labels.method} ${labels.outcome}`, value]),
    ),
  )
}

const startMfaSignIn = async (email: string) => cookieOf(await logIn(url, email, PASSWORD))
const post = (path: string, body: unknown, cookie = '') =>
  call(url + path, { method: 'POST', body, headers: { cookie } })

test('a password with a TOTP or recovery code is counted', async () => {
  const ann = await createSignedInUser(service)
  const { body } = await ann.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
  const code = () => {
    service.advance(30_000)
    return totpCode(body.secret as string, service.ctx.now())
  }
  const confirmed = await ann.call('POST', '/api/users/me/mfa/totp/verify', { code: code() })
  const [recoveryCode] = confirmed.body.recoveryCodes as string[]
  let cookie = ''
  const first = await countIncrease(async () => {
    cookie = await startMfaSignIn(ann.email)
  })
  expect(first).toEqual({ [`${SIGN_INS} password second_factor`]: 1 })
  const wrong = await countIncrease(() => post('/api/auth/mfa', { code: '000 000' }, cookie))
  expect(wrong).toEqual({ [`${SECOND_FACTORS} totp refused`]: 1 })
  const right = await countIncrease(() => post('/api/auth/mfa', { code: code() }, cookie))
  expect(right).toEqual({ [`${SECOND_FACTORS} totp ok`]: 1 })
  cookie = await startMfaSignIn(ann.email)
  const recovered = await countIncrease(() => post('/api/auth/mfa', { code: recoveryCode }, cookie))
  expect(recovered).toEqual({ [`${SECOND_FACTORS} recovery_code ok`]: 1 })
})

test('a passkey is counted, instead of a password and as a second factor', async () => {
  const ben = await createSignedInUser(service)
  const passkey = await createPasskey(service, ben)
  const show = async (cookie = '') => {
    const { body } = await post('/api/auth/passkey/options', {}, cookie)
    return post('/api/auth/passkey', passkey.get(body as unknown as RequestOptions), cookie)
  }
  expect(await countIncrease(() => show())).toEqual({ [`${SIGN_INS} passkey ok`]: 1 })
  const cookie = await startMfaSignIn(ben.email)
  expect(await countIncrease(() => show(cookie))).toEqual({ [`${SECOND_FACTORS} passkey ok`]: 1 })
  const stale = passkey.get({ challenge: 'x'.repeat(43), rpId: '127.0.0.1' })
  expect(await countIncrease(() => post('/api/auth/passkey', stale))).toEqual({
    [`${SIGN_INS} passkey refused`]: 1,
  })
})

test('an SSO sign-in is counted as successful, refused or unavailable', async () => {
  world.google.person = newUpstreamUser()
  const signInWithGoogle = () => world.visitor().go(`${url}/sso/google`, (at) => at.endsWith('/account'))
  expect(await countIncrease(signInWithGoogle)).toEqual({ [`${SIGN_INS} sso ok`]: 1 })
  world.google.person = { ...newUpstreamUser(), email_verified: false }
  expect(await countIncrease(signInWithGoogle)).toEqual({ [`${SIGN_INS} sso refused`]: 1 })
  await world.okta.stop()
  const away = await countIncrease(() => world.visitor().go(`${url}/sso/okta`))
  expect(away).toEqual({ [`${SIGN_INS} sso unavailable`]: 1 })
  const samples = await scrape(service)
  expect(sumSamples(samples, 'latchkey_sso_requests_total', { provider: 'GOOGLE', outcome: 'ok' })).toBeGreaterThan(0)
  expect(sumSamples(samples, 'latchkey_sso_requests_total', { provider: 'OKTA', outcome: 'failed' })).toBe(1)
})

test('a sign-in to an account that is scheduled for deletion is counted', async () => {
  const cleo = await createSignedInUser(service)
  await service.ctx.db
    .updateTable('users')
    .set({ deletion_requested_at: service.ctx.now() })
    .where('id', '=', cleo.id)
    .execute()
  expect(await countIncrease(() => logIn(url, cleo.email, PASSWORD))).toEqual({
    [`${SIGN_INS} password scheduled`]: 1,
  })
})

test('a rate limit that a known device may exceed counts no refusal', async () => {
  const dora = await createSignedInUser(service)
  const account = createHash('sha256').update(dora.email).digest('base64url')
  const expire = Date.now() + 600_000
  await sql`insert into throttle values (${`sign-in-account:${account}`}, 100000, ${expire})`.execute(service.ctx.db)
  const refusals = () => countRefusals(service, 'sign-in-account')
  const known = await countIncrease(() => logIn(url, dora.email, PASSWORD))
  expect(known).toEqual({ [`${SIGN_INS} password ok`]: 1 })
  expect(await refusals()).toBe(0)
  const credentials = { email: dora.email, password: PASSWORD }
  const headers = { 'user-agent': 'stranger' }
  const stranger = () => call(`${url}/api/auth/login`, { method: 'POST', body: credentials, headers })
  expect(await countIncrease(stranger)).toEqual({ [`${SIGN_INS} password limited`]: 1 })
  expect(await refusals()).toBe(1)
})
