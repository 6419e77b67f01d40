import { createContext, useContext } from 'react'
import type { OwnTenant } from '../../me.tsx'

export interface CurrentTenant extends OwnTenant {
  /** True for owners and admins. */
  canManage: boolean
}

export const TenantContext = createContext<CurrentTenant | undefined>(undefined)

export function useTenant(): CurrentTenant {
  const tenant = useContext(TenantContext)
  if (!tenant) throw new Error('useTenant must be used inside TenantArea')
  return tenant
}
