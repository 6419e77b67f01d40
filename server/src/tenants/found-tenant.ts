import type { FastifyRequest } from 'fastify'
import { userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { isCheckViolation } from '../db/errors.ts'
import { countAgainstLimit } from '../db/limiter.ts'
import { AppError } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import { createTenant, type NewTenant } from './service.ts'
import { insertMembership, type Tenant } from './store.ts'

const RATE_LIMIT = { name: 'new-tenant', max: 2_000, seconds: 15 * 60 }

/** Creates a tenant with the caller as its owner. */
export async function foundTenant(
  ctx: Ctx,
  draft: NewTenant,
  { userId, request }: { userId: string; request: FastifyRequest },
): Promise<Tenant> {
  await countAgainstLimit(ctx.db, RATE_LIMIT, userId)
  try {
    return await ctx.db.transaction().execute(async (tx) => {
      const tenant = await createTenant(ctx, tx, draft, { actor: userActor(userId), request })
      const createdAt = tenant.created_at
      await insertMembership(tx, {
        id: newId(),
        tenant_id: tenant.id,
        user_id: userId,
        role: 'owner',
        status: 'ACTIVE',
        joined_at: createdAt,
        created_at: createdAt,
        updated_at: createdAt,
      })
      return tenant
    })
  } catch (error) {
    // The user has requested deletion since the token was checked, which also revoked the token.
    if (isCheckViolation(error, 'members_stay')) throw new AppError('UNAUTHORIZED', { cause: error })
    throw error
  }
}
