import { createContext, useContext } from 'react'
import type { OwnTenant } from '../../me.tsx'

export interface CurrentTenant extends OwnTenant {
  /** Whether one may change it: an owner or an admin. */
  runs: boolean
}

export const TenantContext = createContext<CurrentTenant | undefined>(undefined)

/** The tenant one works in. */
export function useTenant(): CurrentTenant {
  const tenant = useContext(TenantContext)
  if (!tenant) throw new Error('useTenant is for what stands inside a tenant')
  return tenant
}
