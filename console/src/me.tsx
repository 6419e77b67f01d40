import type { Reply } from '@latchkey/client'
import { createContext, type ReactNode, useContext, useDeferredValue, useMemo } from 'react'
import { useApiQuery } from './api/use-api.ts'
import { ErrorAlert } from './ui/states.tsx'

export type Profile = Reply<'GET /api/users/me'>
export type Access = Reply<'GET /api/users/me/access'>
export type OwnTenant = Reply<'GET /api/tenants'>['tenants'][number]

/** The signed-in user with permissions and tenants. */
export interface Me {
  profile: Profile
  access: Access
  tenants: OwnTenant[]
}

const MeContext = createContext<Me | undefined>(undefined)

export function useMe(): Me {
  const me = useContext(MeContext)
  if (!me) throw new Error('useMe must be used inside MeProvider')
  return me
}

/** Loads the signed-in user before it renders its children. */
export function MeProvider({ children }: { children: ReactNode }) {
  const profile = useApiQuery('GET /api/users/me', { input: {} })
  const access = useApiQuery('GET /api/users/me/access', { input: {} })
  const tenants = useApiQuery('GET /api/tenants', { input: {} })
  const error = profile.error ?? access.error ?? tenants.error
  const loaded = useMemo(
    () =>
      profile.data && access.data && tenants.data
        ? { profile: profile.data, access: access.data, tenants: tenants.data.tenants }
        : undefined,
    [profile.data, access.data, tenants.data],
  )
  // Rendered in slices, because the whole page depends on it.
  const me = useDeferredValue(loaded)
  if (me) return <MeContext.Provider value={me}>{children}</MeContext.Provider>
  if (error) {
    const retry = () => Promise.all([profile, access, tenants].map((query) => query.refetch()))
    return <ErrorAlert error={error} onRetry={retry} />
  }
  return null
}
