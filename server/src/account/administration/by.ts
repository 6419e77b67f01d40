import type { FastifyRequest } from 'fastify'
import { sourceOf as sourceFrom } from '../../audit/record.ts'
import { nameActor } from '../../db/actor.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import type { Caller } from '../../http/callers.ts'
import { toId } from '../../lib/ids.ts'
import { lockAccount } from '../../users/ordered-accounts.ts'
import type { User } from '../../users/service.ts'
import { noSuchUser } from './service.ts'

/** Who does something to somebody, and the request they do it with. */
export interface By {
  caller: Caller
  request: FastifyRequest
}

export const sourceOf = ({ caller, request }: By) => sourceFrom(caller, request)

/** What the database writes down of itself was done by whoever asks. */
export const nameCaller = (tx: Tx, { caller }: By): Promise<void> =>
  caller.kind === 'person' ? nameActor(tx, caller.userId) : nameActor(tx, caller.clientId, 'client')

/** The id of somebody who may exist, as the database writes it. */
export function readUserId(text: string): string {
  const id = toId(text)
  if (id === undefined) throw noSuchUser()
  return id
}

/** The account, whom nobody else changes until the transaction ends. */
export async function lockSubject(tx: Tx, id: string): Promise<User> {
  const user = await lockAccount(tx, id)
  if (!user) throw noSuchUser()
  return user
}

/** Nobody shuts themselves out. */
export function refuseOwn({ caller }: By, id: string): void {
  if (caller.kind === 'person' && caller.userId === id) throw new AppError('OWN_ACCOUNT')
}
