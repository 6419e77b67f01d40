import type { Db, Tx } from '../../db/open.ts'
import { deleteFactors, type Factors, findFactors, holdingWithoutFactors } from './store.ts'

export { type Factors, findFactors, holdingWithoutFactors }

/** What may be shown beside the first factor. */
export type SecondFactor = 'totp' | 'passkey' | 'recovery_code'

/** Whether somebody is asked for a second factor. Recovery codes alone, left over, are none. */
export const hasSecondFactor = ({ totp, passkeys }: Factors): boolean => totp || passkeys > 0

/** The second factors a person can show; none when none is asked for. */
export const secondFactorsOf = async (db: Db, userId: string): Promise<SecondFactor[]> =>
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

/** Takes all second factors from somebody, also half set up ones; undefined when there is none to take. */
export async function dropFactors(tx: Tx, userId: string): Promise<Factors | undefined> {
  const factors = await findFactors(tx, userId)
  if (!hasSecondFactor(factors)) return undefined
  await deleteFactors(tx, userId)
  return factors
}
