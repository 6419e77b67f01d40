import type { Ctx } from '../../context.ts'
import type { LoginTransaction } from '../login-transaction.ts'
import { findCodePolicy, isMember } from './store.ts'

/** Who may sign in with a mailed code. */
export interface CodeOffer {
  /** Only the members of this tenant; undefined: everybody. */
  tenantId: string | undefined
}

/**
 * Whether this login offers mailed codes. The switch of an application is for everybody who signs in to it. The switch of
 * a tenant is for its members, where the login names the tenant.
 */
export async function findCodeOffer(ctx: Ctx, login: LoginTransaction | undefined): Promise<CodeOffer | undefined> {
  const { clientId, tenant } = login ?? {}
  if (clientId === undefined && tenant === undefined) return undefined
  const { byApplication, tenantId } = await findCodePolicy(ctx.db, { clientId, tenant })
  if (byApplication) return { tenantId: undefined }
  return tenantId === null ? undefined : { tenantId }
}

export const mayReceiveCode = async (
  { db }: Ctx,
  userId: string,
  { tenantId }: { tenantId?: string | undefined },
): Promise<boolean> => tenantId === undefined || isMember(db, { tenantId, userId })
