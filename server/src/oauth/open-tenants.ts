import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { type ActiveMembership, listActiveMemberships } from './store.ts'

/** The tenants that somebody may act for. A suspended one is as if it were not there, unless the request names it. */
export async function listOpenTenants(
  { db }: Ctx,
  userId: string,
  named: string | undefined,
): Promise<ActiveMembership[]> {
  const memberships = await listActiveMemberships(db, userId)
  const isOpen = ({ suspended_at }: ActiveMembership) => suspended_at === null
  const wanted = memberships.find(({ slug }) => slug === named)
  if (wanted && !isOpen(wanted)) throw new OAuthError('access_denied', 'This tenant is suspended.')
  return memberships.filter(isOpen)
}
