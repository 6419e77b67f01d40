import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { isId } from '../../lib/ids.ts'
import { lockClient, type StoredClient } from './store.ts'

/** Locks the client, so that concurrent changes are made one after the other. */
export async function getLockedClient(tx: Tx, id: string): Promise<StoredClient> {
  const client = isId(id) ? await lockClient(tx, id) : undefined
  if (!client) throw new AppError('CLIENT_NOT_FOUND')
  return client
}

export type ClientRef = Pick<StoredClient, 'id' | 'clientId' | 'applicationId'>

/** How audit events identify a client. */
export const toClientRef = ({ id, clientId, applicationId }: ClientRef): ClientRef => ({
  id,
  clientId,
  applicationId,
})
