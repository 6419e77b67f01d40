import { record, type Source } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { deleteClient, findClientById } from './clients/store.ts'
import { deleteApplication, findApplication } from './store.ts'

/** Ends an application with its clients and all that was sold of it, in a transaction that does more. */
export async function dropApplication(
  ctx: Ctx,
  tx: Tx,
  { id, source }: { id: string; source: Source },
): Promise<void> {
  const application = await findApplication(tx, id)
  if (!application || !(await deleteApplication(tx, id))) throw new AppError('APPLICATION_NOT_FOUND')
  const { slug, name } = application
  const details = { applicationId: id, before: { slug, name } }
  await record(ctx, tx, { action: 'application.deleted', ...source, details })
}

/** Ends a client with everything it was given, in a transaction that does more. */
export async function dropClient(
  ctx: Ctx,
  tx: Tx,
  { id, source }: { id: string; source: Source },
): Promise<void> {
  const client = await findClientById(tx, id)
  if (!client || !(await deleteClient(tx, id))) throw new AppError('CLIENT_NOT_FOUND')
  const { clientId, applicationId, kind, name } = client
  const details = { clientId, applicationId, before: { kind, name } }
  await record(ctx, tx, { action: 'client.deleted', ...source, details })
}
