import { CompiledQuery } from 'kysely'
import { expect } from 'vitest'
import { call, logIn, type TestUser } from '../account/people.ts'
import { collide } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'

const raw = CompiledQuery.raw

/** A service with high guess limits, where the tenant acme requires MFA. */
export async function startRaces(): Promise<TestService> {
  const limits = { signInFailures: 1_000, confirmFailures: 1_000, clientFailures: 60 }
  const service = await startDemoService({ worker: true, config: { limits } })
  await service.ctx.db.updateTable('tenants').set({ mfa_policy: 'REQUIRED' }).where('slug', '=', 'acme').execute()
  return service
}

/** Starts the TOTP setup and returns its last step. */
export async function prepareApp({ ctx }: TestService, ann: TestUser) {
  const { body } = await ann.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
  const code = totpCode(body.secret as string, ctx.now())
  return () => ann.call('POST', '/api/users/me/mfa/totp/verify', { code })
}

/** Sets up TOTP for a user. */
export async function setUpTotp(service: TestService, ann: TestUser): Promise<{ codes: string[] }> {
  const confirm = await prepareApp(service, ann)
  const confirmed = await confirm()
  expect(confirmed.status).toBe(200)
  return { codes: confirmed.body.recoveryCodes as string[] }
}

export const sendCode = ({ url }: TestService, cookie: string, code: string) =>
  call(`${url}/api/auth/mfa`, { method: 'POST', body: { code }, headers: { cookie } })

export const sessionsOf = ({ ctx }: TestService, { id }: { id: string }) =>
  ctx.db.selectFrom('sessions').select(['id', 'amr']).where('user_id', '=', id).execute()

export const pendingSignInsOf = ({ ctx }: TestService, { id }: { id: string }) =>
  ctx.db.selectFrom('pending_sign_ins').select('amr').where('user_id', '=', id).execute()

/** The number of connections that wait for a lock. */
export async function countWaiting({ ctx }: TestService): Promise<number> {
  const { rows } = await ctx.db.executeQuery<{ count: number }>(
    raw(`select count(*)::int from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`),
  )
  return rows[0]?.count ?? 0
}

interface Interference<T> {
  /** Sends a right or a wrong credential. */
  attempt(isRight: boolean): Promise<T>
  interfere(): Promise<unknown>
}

/**
 * Runs `interfere` after a credential was checked and before the sign-in continues: the sign-in waits for the lock on
 * its failure count.
 */
export async function interfereWith<T>(
  service: TestService,
  count: 'sign-in' | 'code',
  { attempt, interfere }: Interference<T>,
): Promise<T> {
  await attempt(false)
  const pending = await service.ctx.db.transaction().execute(async (tx) => {
    await tx.executeQuery(raw(`select from throttle where key like '${count}:%' for update`))
    const answer = attempt(true)
    await expect.poll(() => countWaiting(service)).toBe(1)
    await interfere()
    return { answer }
  })
  return pending.answer
}

/** The response to a sign-in with the right password, during which `interfere` runs. */
export const signInWhile = (service: TestService, { email }: TestUser, interfere: () => Promise<unknown>) =>
  interfereWith(service, 'sign-in', {
    attempt: (isRight) => logIn(service.url, email, isRight ? PASSWORD : 'wrong password'),
    interfere,
  })

/** Starts two requests in order; both wait where they queue their mail, before either commits. */
export const runTogether = <A, B>(service: TestService, both: [() => Promise<A>, () => Promise<B>]) =>
  collide(service, { statement: 'lock table mail_messages in exclusive mode' }, both)
