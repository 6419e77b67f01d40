import { type ClientDraft, type Kind, scopesFor } from '../clients/client-draft.ts'

/** Where software of each kind usually runs on the machine of whoever writes it. */
const ADDRESSES = {
  SPA: { redirectUris: 'http://localhost:5173/callback', postLogoutRedirectUris: 'http://localhost:5173/' },
  WEB: { redirectUris: 'http://localhost:8080/callback', postLogoutRedirectUris: 'http://localhost:8080/' },
  MACHINE: { redirectUris: '', postLogoutRedirectUris: '' },
}

/** What each kind begins with. */
export const startOf = (kind: Kind): Partial<ClientDraft> => ({
  kind,
  ...ADDRESSES[kind],
  scopes: kind === 'MACHINE' ? scopesOfReach(null) : scopesFor(kind),
  tenantId: null,
})

/** What a machine of a tenant, or of the whole instance, begins with. */
export const scopesOfReach = (tenantId: string | null): string[] =>
  tenantId === null ? ['admin'] : ['licenses:read']
