import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { translatable } from '../languages/translate.ts'
import { type ActiveMembership, listActiveMemberships } from './store.ts'

/**
 * The tenants that a user may act for, without suspended ones. A suspended tenant that the request names is refused.
 */
export async function listSelectableTenants(
  { db }: Ctx,
  userId: string,
  requestedSlug: string | undefined,
): Promise<ActiveMembership[]> {
  const memberships = await listActiveMemberships(db, userId)
  const isActive = ({ suspended_at }: ActiveMembership) => suspended_at === null
  const requested = memberships.find(({ slug }) => slug === requestedSlug)
  if (requested && !isActive(requested))
    throw new OAuthError('access_denied', translatable('This tenant is suspended.'))
  return memberships.filter(isActive)
}
