import {
  changeClient,
  type NewClient,
  registerClient,
  type SecretChoice,
} from '../../src/applications/clients/registration.ts'
import { findClient } from '../../src/applications/clients.ts'
import { createApplication } from '../../src/applications/service.ts'
import { OPERATOR_SOURCE } from '../../src/audit/record.ts'
import type { Ctx } from '../../src/context.ts'
import type { Tx } from '../../src/db/open.ts'

export const inTx = <T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> => ctx.db.transaction().execute(work)

export const newApplication = (ctx: Ctx, name = 'App') =>
  inTx(ctx, (tx) => createApplication(ctx, tx, { name }, OPERATOR_SOURCE))

/** The settings of a valid WEB client. */
export const webClient = () => ({
  kind: 'WEB' as const,
  name: 'Web',
  redirectUris: ['https://app.example.com/cb'],
})

/** Registers a WEB client of a new application, unless the draft says otherwise. */
export async function register(ctx: Ctx, draft: Partial<NewClient> = {}, secret: SecretChoice = 'generated') {
  const applicationId = draft.applicationId ?? (await newApplication(ctx)).id
  const client = { ...webClient(), applicationId, ...draft }
  return inTx(ctx, (tx) => registerClient(ctx, tx, client, { secret, source: OPERATOR_SOURCE }))
}

export async function getClient(ctx: Ctx, clientId: string) {
  const client = await findClient(ctx, clientId)
  if (!client) throw new Error(`there is no client ${clientId}`)
  return client
}

/** Changes a client and waits until the cache has seen the change. */
export async function update(ctx: Ctx, id: string, change: Parameters<typeof changeClient>[2]['change']) {
  await inTx(ctx, (tx) => changeClient(ctx, tx, { id, change, source: OPERATOR_SOURCE }))
  await ctx.changes.waitUntilCurrent()
}

/** The code of the expected error and the fields that it lists. */
export async function refusal(work: Promise<unknown>): Promise<{ code: string; fields: string[] }> {
  const error = (await work.then(
    () => new Error('the call was not refused'),
    (thrown: unknown) => thrown,
  )) as Error & { code?: string; details?: { field: string }[] }
  if (error.code === undefined) throw error
  return { code: error.code, fields: (error.details ?? []).map(({ field }) => field) }
}
