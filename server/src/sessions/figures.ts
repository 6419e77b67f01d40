import type { Ctx } from '../context.ts'
import { toAppError } from '../http/errors.ts'
import { defineCounter } from '../lib/figures.ts'
import type { Arrival } from './arrival.ts'

/** How a step of a sign-in may end. */
const OUTCOMES = ['ok', 'second_factor', 'scheduled', 'refused', 'limited', 'unavailable', 'failed'] as const
type Outcome = (typeof OUTCOMES)[number]

const METHODS = ['password', 'passkey', 'sso'] as const
const FACTORS = ['totp', 'recovery_code', 'passkey'] as const

export const SIGN_INS = defineCounter({
  name: 'latchkey_sign_ins_total',
  help: 'Sign-ins by how somebody came and where they got; with second_factor they go on to the next figure',
  labels: { method: METHODS, outcome: OUTCOMES },
})
export const SECOND_FACTORS = defineCounter({
  name: 'latchkey_second_factors_total',
  help: 'Second factors that were shown, by kind and by where somebody got with them',
  labels: { method: FACTORS, outcome: OUTCOMES },
})

/** Counts how a sign-in ends, whichever way. */
export const countSignIn = (
  { figures }: Ctx,
  method: (typeof METHODS)[number],
  arrival: Promise<Arrival>,
): Promise<Arrival> => countEnd(arrival, (outcome) => figures.count(SIGN_INS, { method, outcome }))

export const countSecondFactor = (
  { figures }: Ctx,
  method: (typeof FACTORS)[number],
  arrival: Promise<Arrival>,
): Promise<Arrival> => countEnd(arrival, (outcome) => figures.count(SECOND_FACTORS, { method, outcome }))

/** For a step on the way: only if it fails does the sign-in end there. */
export async function countRefusal<T>(
  { figures }: Ctx,
  method: (typeof METHODS)[number],
  step: Promise<T>,
): Promise<T> {
  try {
    return await step
  } catch (error) {
    figures.count(SIGN_INS, { method, outcome: outcomeOf(error) })
    throw error
  }
}

const REACHED = { 'signed-in': 'ok', 'second-factor': 'second_factor', scheduled: 'scheduled' } as const

async function countEnd(arrival: Promise<Arrival>, count: (outcome: Outcome) => void): Promise<Arrival> {
  try {
    const reached = await arrival
    count(REACHED[reached.state])
    return reached
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
