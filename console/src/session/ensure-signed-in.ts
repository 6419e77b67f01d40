import { findLastTenant } from './last-tenant.ts'
import { completeSignIn, restoreSession, signIn } from './session.ts'

/** The tenant slug in a console path. */
export const findTenantSlug = (path: string): string | undefined => /^\/console\/t\/([^/]+)/.exec(path)?.[1]

/** Completes or restores the sign-in, or redirects to the sign-in page. */
export async function ensureSignedIn(): Promise<void> {
  if (window.location.pathname === '/console/callback') {
    const returnTo = await completeSignIn(new URLSearchParams(window.location.search))
    window.history.replaceState(null, '', returnTo ?? '/console/')
    if (returnTo !== undefined) return
    // An old callback URL, or a callback in another tab than the one that started the sign-in.
  }
  const { pathname, search, hash } = window.location
  const tenant = findTenantSlug(pathname) ?? findLastTenant()
  if (await restoreSession(tenant)) return
  // The user may have lost access to the last used tenant.
  if (tenant !== undefined && findTenantSlug(pathname) === undefined && (await restoreSession())) return
  await signIn(pathname + search + hash, { tenant: findTenantSlug(pathname) })
}
