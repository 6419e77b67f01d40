import type { Db, Tx } from '../../db/open.ts'
import { deleteFactors, type Factors, findFactors, selectUnchangedUserForUpdate } from './store.ts'

export { type Factors, findFactors, selectUnchangedUserForUpdate }

export type SecondFactor = 'totp' | 'passkey' | 'recovery_code'

/** Whether sign-in requires a second factor. Recovery codes alone do not count. */
export const hasSecondFactor = ({ totp, passkeys }: Factors): boolean => totp || passkeys > 0

/** The second factors that the person can use; empty when none is required. */
export const listSecondFactors = async (db: Db, userId: string): Promise<SecondFactor[]> =>
  toSecondFactors(await findFactors(db, userId))

function toSecondFactors(factors: Factors): SecondFactor[] {
  if (!hasSecondFactor(factors)) return []
  const { totp, passkeys, recoveryCodes } = factors
  return [
    ...(totp ? (['totp'] as const) : []),
    ...(passkeys > 0 ? (['passkey'] as const) : []),
    ...(recoveryCodes > 0 ? (['recovery_code'] as const) : []),
  ]
}

/** Removes all second factors, including unconfirmed ones; undefined when there is no second factor. */
export async function removeFactors(tx: Tx, userId: string): Promise<Factors | undefined> {
  const factors = await findFactors(tx, userId)
  if (!hasSecondFactor(factors)) return undefined
  await deleteFactors(tx, userId)
  return factors
}
