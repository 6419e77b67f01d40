import type { Input, Reply } from 'latchkey-sdk'
import { toLines } from '../../../../ui/lines-input.tsx'

export type Client = Reply<'GET /api/admin/clients'>['clients'][number]
export type Kind = Client['kind']

export const KINDS: Kind[] = ['SPA', 'WEB', 'MACHINE']
export const PERSONAL_SCOPES = ['openid', 'profile', 'email', 'offline_access']
export const MACHINE_SCOPES = ['licenses:read', 'licenses:write', 'events:read', 'admin']

/** A client as it is written in a form: lists are texts with one entry on each line. */
export interface ClientDraft {
  /** None yet: it is a new one. */
  id?: string | undefined
  /** As it was called before. */
  title: string
  kind: Kind
  name: string
  clientId: string
  redirectUris: string
  postLogoutRedirectUris: string
  allowedOrigins: string
  scopes: string[]
  tenantId: string | null
  requireNonce: boolean
  pkceMethods: Client['pkceMethods']
}

export const newDraft = (kind: Kind = 'SPA'): ClientDraft => ({
  ...{ title: '', kind, name: '', clientId: '', tenantId: null },
  ...{ redirectUris: '', postLogoutRedirectUris: '', allowedOrigins: '' },
  scopes: scopesFor(kind),
  requireNonce: true,
  pkceMethods: ['S256'],
})

/** What a new client of this kind is given. */
export const scopesFor = (kind: Kind): string[] => (kind === 'MACHINE' ? ['licenses:read'] : PERSONAL_SCOPES)

export const draftOf = (client: Client): ClientDraft => ({
  ...client,
  title: client.name,
  redirectUris: client.redirectUris.join('\n'),
  postLogoutRedirectUris: client.postLogoutRedirectUris.join('\n'),
  allowedOrigins: client.allowedOrigins.join('\n'),
})

/** What the API may be asked to change. */
export function settingsOf(draft: ClientDraft): NonNullable<Input<'PATCH /api/admin/clients/{id}'>['body']> {
  const { kind, name, scopes, requireNonce, pkceMethods } = draft
  if (kind === 'MACHINE') return { name, scopes }
  return {
    ...{ name, scopes, requireNonce, pkceMethods },
    redirectUris: toLines(draft.redirectUris),
    postLogoutRedirectUris: toLines(draft.postLogoutRedirectUris),
    allowedOrigins: toLines(draft.allowedOrigins),
  }
}

/** A new client as the API takes it. */
export function toNewClient(
  draft: ClientDraft,
  applicationId: string,
): Input<'POST /api/admin/clients'>['body'] {
  const { kind, name, clientId, tenantId } = draft
  return {
    ...settingsOf(draft),
    ...{ applicationId, kind, name },
    ...(clientId.trim() !== '' && { clientId: clientId.trim() }),
    ...(kind === 'MACHINE' && { tenantId }),
  }
}

/** The origins of web addresses, which browsers then may ask for tokens from. */
export const originsOf = (addresses: string[]): string[] => [
  ...new Set(
    addresses.flatMap((address) =>
      URL.canParse(address) && /^https?:/.test(address) ? [new URL(address).origin] : [],
    ),
  ),
]
