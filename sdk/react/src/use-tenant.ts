import type { OwnTenants } from '@latchkey/client'
import { useLatchkey, useSessionState } from './context.ts'
import type { ActiveTenant } from './session/claims.ts'
import { useResource } from './use-resource.ts'

/** A tenant that the user is an active member of. */
export type OwnTenant = OwnTenants['tenants'][number]

export interface TenantAccess {
  /** The tenant of the access token; undefined if nobody is signed in, or the user has no tenant. */
  tenant: ActiveTenant | undefined
  /** All tenants of the user. Empty until they are loaded. */
  tenants: OwnTenant[]
  /**
   * Gets tokens for another tenant, named by its slug. With `offline_access` the page stays; otherwise, and if the
   * tenant requires a second factor, the browser goes to the service and returns.
   */
  switchTenant(slug: string): Promise<void>
}

const NONE: OwnTenant[] = []

/**
 * The tenant of the user, and the tenants to choose from.
 *
 * @example
 * const { tenant, tenants, switchTenant } = useTenant()
 * return tenants.map(({ slug, name }) => <button key={slug} onClick={() => switchTenant(slug)}>{name}</button>)
 */
export function useTenant(): TenantAccess {
  const { session, tenants } = useLatchkey().connection
  const { user, tenant } = useSessionState()
  const { value = NONE } = useResource(tenants, user?.id)
  return { tenant, tenants: value, switchTenant: session.switchTenant }
}
