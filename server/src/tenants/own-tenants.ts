import type { FastifyRequest } from 'fastify'
import { person } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { createLimiter } from '../db/limiter.ts'
import { breaks } from '../db/violations.ts'
import { AppError, tooManyAttempts } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import { createTenant, type NewTenant } from './service.ts'
import { insertMembership, type Tenant } from './store.ts'

const LIMIT = { name: 'new-tenant', most: 2_000, seconds: 15 * 60 }

/** Founds a tenant; whoever does is its owner. */
export async function found(
  ctx: Ctx,
  draft: NewTenant,
  { userId, request }: { userId: string; request: FastifyRequest },
): Promise<Tenant> {
  const wait = await createLimiter(ctx.db, LIMIT).count(userId)
  if (wait !== undefined) throw tooManyAttempts(wait)
  try {
    return await ctx.db.transaction().execute(async (tx) => {
      const tenant = await createTenant(ctx, tx, draft, { actor: person(userId), request })
      const at = tenant.created_at
      await insertMembership(tx, {
        id: newId(),
        tenant_id: tenant.id,
        user_id: userId,
        role: 'owner',
        status: 'ACTIVE',
        joined_at: at,
        created_at: at,
        updated_at: at,
      })
      return tenant
    })
  } catch (error) {
    // Their account was deleted a moment ago, and their token with it.
    if (breaks(error, 'members_stay')) throw new AppError('UNAUTHORIZED', { cause: error })
    throw error
  }
}
