import { randomInt } from 'node:crypto'
import type { Db, Tx } from '../../db/open.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { replaceRecoveryCodes, useRecoveryCode } from './store.ts'

const HOW_MANY = 10
/** Small letters and digits without those that look alike (0 o, 1 l i, u v). */
const ALPHABET = '23456789abcdefghjkmnpqrstwxyz'
const GROUPS = 4
const GROUP = 4

/** Makes new codes in place of the old. They are shown once; at 77 bits each, a fast hash of them can be kept. */
export async function makeRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: HOW_MANY }, newCode)
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map((code) => hashOf(userId, code)),
  )
  return codes
}

const newCode = () => Array.from({ length: GROUPS }, () => letters(GROUP)).join('-')

const letters = (count: number) =>
  Array.from({ length: count }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/** However it was typed: the letters and digits are the code. The person's id keeps equal codes of two people apart. */
const hashOf = (userId: string, code: string) =>
  hashSecret(`${userId}:${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)

/** Whether this is a code of the person's, never used before. Uses it up. */
export const spendRecoveryCode = (db: Db, userId: string, code: string): Promise<boolean> =>
  useRecoveryCode(db, userId, hashOf(userId, code))
