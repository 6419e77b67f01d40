/** The slug of the tenant that was used last. */
const LAST_TENANT_KEY = 'latchkey.tenant'

export const saveLastTenant = (slug: string): void => localStorage.setItem(LAST_TENANT_KEY, slug)
export const findLastTenant = (): string | undefined => localStorage.getItem(LAST_TENANT_KEY) ?? undefined
