import { randomInt } from 'node:crypto'
import type { Db, Tx } from '../../db/open.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { deleteRecoveryCode, replaceRecoveryCodes } from './store.ts'

const CODE_COUNT = 10
/** Lower-case letters and digits without those that look alike (0 o, 1 l i, u v). */
const ALPHABET = '23456789abcdefghjkmnpqrstwxyz'
const GROUP_COUNT = 4
const GROUP_LENGTH = 4

/** Replaces the recovery codes and returns the new ones. Each has 77 bits, so a fast hash is sufficient. */
export async function createRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: CODE_COUNT }, createCode)
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map((code) => hashOf(userId, code)),
  )
  return codes
}

const createCode = () => Array.from({ length: GROUP_COUNT }, createGroup).join('-')

const createGroup = () => Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/** Ignores case and separators. The user id acts as a salt. */
const hashOf = (userId: string, code: string) => hashSecret(`${userId}:${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)

/** Consumes the code; false when it is unknown or used. */
export const useRecoveryCode = (db: Db, userId: string, code: string): Promise<boolean> =>
  deleteRecoveryCode(db, userId, hashOf(userId, code))
