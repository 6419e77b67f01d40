import { type ClientDraft, defaultScopes, type Kind } from '../clients/client-draft.ts'

/** The usual local development URLs of each kind. */
const DEVELOPMENT_URIS = {
  SPA: { redirectUris: 'http://localhost:5173/callback', postLogoutRedirectUris: 'http://localhost:5173/' },
  WEB: { redirectUris: 'http://localhost:8080/callback', postLogoutRedirectUris: 'http://localhost:8080/' },
  MACHINE: { redirectUris: '', postLogoutRedirectUris: '' },
}

/** The default draft of each kind. */
export const defaultDraft = (kind: Kind): Partial<ClientDraft> => ({
  kind,
  ...DEVELOPMENT_URIS[kind],
  scopes: kind === 'MACHINE' ? defaultMachineScopes(null) : defaultScopes(kind),
  tenantId: null,
})

/** The default scopes of a machine client of a tenant or of the instance. */
export const defaultMachineScopes = (tenantId: string | null): string[] =>
  tenantId === null ? ['admin'] : ['licenses:read']
