import { finish, restore, signIn } from './session.ts'

/** Where one was last; nothing secret. It spares the question which tenant is meant. */
const LAST_TENANT = 'latchkey.tenant'

export const rememberTenant = (slug: string): void => localStorage.setItem(LAST_TENANT, slug)
export const lastTenant = (): string | undefined => localStorage.getItem(LAST_TENANT) ?? undefined

/** The tenant that an address in the console is about. */
export const tenantIn = (path: string): string | undefined => /^\/console\/t\/([^/]+)/.exec(path)?.[1]

/** Begins: somebody is signed in afterwards, or the sign-in page has taken over. */
export async function arrive(): Promise<void> {
  if (window.location.pathname === '/console/callback') {
    const goal = await finish(new URLSearchParams(window.location.search))
    window.history.replaceState(null, '', goal ?? '/console/')
    if (goal !== undefined) return
    // Somebody came back to an old address, or in another tab than they left from.
  }
  const { pathname, search, hash } = window.location
  const wish = tenantIn(pathname) ?? lastTenant()
  if (await restore(wish)) return
  // The tenant of last time may be one that is closed to this person by now.
  if (wish !== undefined && tenantIn(pathname) === undefined && (await restore())) return
  await signIn(pathname + search + hash, { tenant: tenantIn(pathname) })
}
