import type { Reply } from 'latchkey-sdk'
import { createContext, type ReactNode, useContext } from 'react'
import { useRead } from './api/use-api.ts'
import { Problem } from './ui/states.tsx'

export type Profile = Reply<'GET /api/users/me'>
export type Access = Reply<'GET /api/users/me/access'>
export type OwnTenant = Reply<'GET /api/tenants'>['tenants'][number]

/** Who is signed in, where they belong and what they may do. */
export interface Me {
  profile: Profile
  access: Access
  tenants: OwnTenant[]
}

const MeContext = createContext<Me | undefined>(undefined)

export function useMe(): Me {
  const me = useContext(MeContext)
  if (!me) throw new Error('useMe is for what stands inside MeProvider')
  return me
}

/** Nothing is shown before it is known who looks. */
export function MeProvider({ children }: { children: ReactNode }) {
  const profile = useRead('GET /api/users/me', { input: {} })
  const access = useRead('GET /api/users/me/access', { input: {} })
  const tenants = useRead('GET /api/tenants', { input: {} })
  const error = profile.error ?? access.error ?? tenants.error
  if (profile.data && access.data && tenants.data) {
    const me = { profile: profile.data, access: access.data, tenants: tenants.data.tenants }
    return <MeContext.Provider value={me}>{children}</MeContext.Provider>
  }
  if (error) {
    const retry = () => Promise.all([profile, access, tenants].map((query) => query.refetch()))
    return <Problem error={error} onRetry={retry} />
  }
  return null
}
