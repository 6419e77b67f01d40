import type { FastifyRequest } from 'fastify'
import { toAuditSource as toSource } from '../audit/record.ts'
import { setActor } from '../db/actor.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/routing/callers.ts'
import { toId } from '../lib/ids.ts'
import { lockAccount } from '../users/placeholders.ts'
import type { User } from '../users/service.ts'
import { userNotFound } from './service.ts'

/** An administrator or administrative client, and its request. */
export interface AdminRequest {
  caller: Caller
  request: FastifyRequest
}

export const toAuditSource = ({ caller, request }: AdminRequest) => toSource(caller, request)

/** Sets the actor for the audit entries that database triggers write. */
export const setDatabaseActor = (tx: Tx, { caller }: AdminRequest): Promise<void> =>
  caller.kind === 'person' ? setActor(tx, caller.userId) : setActor(tx, caller.clientId, 'client')

/** Parses a user id into the form the database uses; throws USER_NOT_FOUND for anything else. */
export function parseUserId(text: string): string {
  const id = toId(text)
  if (id === undefined) throw userNotFound()
  return id
}

/** Locks the account row until the transaction ends. */
export async function getLockedUser(tx: Tx, id: string): Promise<User> {
  const user = await lockAccount(tx, id)
  if (!user) throw userNotFound()
  return user
}

/** Administrators cannot disable or delete their own account. */
export function refuseOwnAccount({ caller }: AdminRequest, id: string): void {
  if (caller.kind === 'person' && caller.userId === id) throw new AppError('OWN_ACCOUNT')
}
