import type { Ctx } from '../context.ts'
import { toAppError } from '../http/errors/errors.ts'
import { defineCounter } from '../lib/metrics/metrics.ts'
import type { SignInResult } from './establish-session.ts'

const OUTCOMES = ['ok', 'second_factor', 'scheduled', 'refused', 'limited', 'unavailable', 'failed'] as const
type Outcome = (typeof OUTCOMES)[number]

const METHODS = ['password', 'passkey', 'sso', 'email_code'] as const
const FACTORS = ['totp', 'recovery_code', 'passkey'] as const

export const SIGN_INS = defineCounter({
  name: 'latchkey_sign_ins_total',
  help: 'Sign-ins by method and outcome; second_factor continues in latchkey_second_factors_total',
  labels: { method: METHODS, outcome: OUTCOMES },
})
export const SECOND_FACTORS = defineCounter({
  name: 'latchkey_second_factors_total',
  help: 'Second factors by method and outcome',
  labels: { method: FACTORS, outcome: OUTCOMES },
})

export const countSignIn = (
  { metrics }: Ctx,
  method: (typeof METHODS)[number],
  result: Promise<SignInResult>,
): Promise<SignInResult> => countOutcome(result, (outcome) => metrics.count(SIGN_INS, { method, outcome }))

export const countSecondFactor = (
  { metrics }: Ctx,
  method: (typeof FACTORS)[number],
  result: Promise<SignInResult>,
): Promise<SignInResult> => countOutcome(result, (outcome) => metrics.count(SECOND_FACTORS, { method, outcome }))

/** Counts a step before the end of a sign-in, which ends there only if the step fails. */
export async function countRefusal<T>(
  { metrics }: Ctx,
  method: (typeof METHODS)[number],
  step: Promise<T>,
): Promise<T> {
  try {
    return await step
  } catch (error) {
    metrics.count(SIGN_INS, { method, outcome: outcomeOf(error) })
    throw error
  }
}

const OUTCOME_BY_STATE = {
  'signed-in': 'ok',
  'second-factor': 'second_factor',
  'deletion-scheduled': 'scheduled',
} as const

async function countOutcome(result: Promise<SignInResult>, count: (outcome: Outcome) => void): Promise<SignInResult> {
  try {
    const ended = await result
    count(OUTCOME_BY_STATE[ended.state])
    return ended
  } catch (error) {
    count(outcomeOf(error))
    throw error
  }
}

function outcomeOf(error: unknown): Outcome {
  const { code, status } = toAppError(error)
  if (code === 'RATE_LIMITED') return 'limited'
  if (code === 'UNAVAILABLE') return 'unavailable'
  return status < 500 ? 'refused' : 'failed'
}
