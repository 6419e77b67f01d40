import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { isId } from '../../lib/ids.ts'
import { lockClient, type StoredClient } from './store.ts'

/** The client, locked: of two who change it at once the second sees what the first did. */
export async function getLocked(tx: Tx, id: string): Promise<StoredClient> {
  const client = isId(id) ? await lockClient(tx, id) : undefined
  if (!client) throw new AppError('CLIENT_NOT_FOUND')
  return client
}

export type NamedClient = Pick<StoredClient, 'id' | 'clientId' | 'applicationId'>

/** By what the log knows a client. */
export const namesOf = ({ id, clientId, applicationId }: NamedClient): NamedClient => ({
  id,
  clientId,
  applicationId,
})
