import { CompiledQuery } from 'kysely'
import { expect } from 'vitest'
import { call, logIn, type Somebody } from '../account/people.ts'
import { collide } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { PASSWORD, startWorld } from '../support/world.ts'

/** Signing in, and what may happen at the same time. */

const raw = CompiledQuery.raw

/** A service where many may guess, and where the tenant acme asks for a second factor. */
export async function startRaces(): Promise<TestService> {
  const limits = { signInFailures: 1_000, confirmFailures: 1_000, clientFailures: 60 }
  const service = await startWorld({ worker: true, config: { limits } })
  await service.ctx.db
    .updateTable('tenants')
    .set({ mfa_policy: 'REQUIRED' })
    .where('slug', '=', 'acme')
    .execute()
  return service
}

/** Sets an authenticator app up, all but the last step. */
export async function prepareApp({ ctx }: TestService, ann: Somebody) {
  const { body } = await ann.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
  const code = totpCode(body.secret as string, ctx.now())
  return () => ann.call('POST', '/api/users/me/mfa/totp/verify', { code })
}

/** Gives somebody an authenticator app. */
export async function protect(service: TestService, ann: Somebody): Promise<{ codes: string[] }> {
  const confirm = await prepareApp(service, ann)
  const confirmed = await confirm()
  expect(confirmed.status).toBe(200)
  return { codes: confirmed.body.recoveryCodes as string[] }
}

export const answerCode = ({ url }: TestService, cookie: string, code: string) =>
  call(`${url}/api/auth/mfa`, { method: 'POST', body: { code }, headers: { cookie } })

export const sessionsOf = ({ ctx }: TestService, { id }: { id: string }) =>
  ctx.db.selectFrom('sessions').select(['id', 'amr']).where('user_id', '=', id).execute()

export const halvesOf = ({ ctx }: TestService, { id }: { id: string }) =>
  ctx.db.selectFrom('pending_sign_ins').select('amr').where('user_id', '=', id).execute()

/** How many wait for somebody else's lock. */
export async function countWaiting({ ctx }: TestService): Promise<number> {
  const { rows } = await ctx.db.executeQuery<{ count: number }>(
    raw(`select count(*)::int from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`),
  )
  return rows[0]?.count ?? 0
}

interface Overtaking<T> {
  /** Shows something, which is right or wrong. */
  show(right: boolean): Promise<T>
  happen(): Promise<unknown>
}

/**
 * Lets something happen while somebody who has just shown the right password, or the right code, has not got any
 * further: the count of their wrong guesses is about to be forgiven.
 */
export async function meanwhile<T>(
  service: TestService,
  count: 'sign-in' | 'code',
  { show, happen }: Overtaking<T>,
): Promise<T> {
  await show(false)
  const shown = await service.ctx.db.transaction().execute(async (tx) => {
    await tx.executeQuery(raw(`select from throttle where key like '${count}:%' for update`))
    const answer = show(true)
    await expect.poll(() => countWaiting(service)).toBe(1)
    await happen()
    return { answer }
  })
  return shown.answer
}

/** The answer to a sign-in with the right password, with which something happens meanwhile. */
export const signInWhile = (service: TestService, { email }: Somebody, happen: () => Promise<unknown>) =>
  meanwhile(service, 'sign-in', {
    show: (right) => logIn(service.url, email, right ? PASSWORD : 'wrong password'),
    happen,
  })

/** Starts one after the other, and lets both wait where they tell their person, before anything is certain. */
export const together = <A, B>(service: TestService, both: [() => Promise<A>, () => Promise<B>]) =>
  collide(service, { statement: 'lock table mail_messages in exclusive mode' }, both)
