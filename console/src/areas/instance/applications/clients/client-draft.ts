import type { Input, Reply } from '@latchkey/client'
import { toLines } from '../../../../ui/lines-input.tsx'

export type Client = Reply<'GET /api/admin/clients'>['clients'][number]
export type Kind = Client['kind']

export const KINDS: Kind[] = ['SPA', 'WEB', 'MACHINE']
export const PERSONAL_SCOPES = ['openid', 'profile', 'email', 'offline_access']
export const MACHINE_SCOPES = ['licenses:read', 'licenses:write', 'events:read', 'admin']

/** The form state of a client. Lists are texts with one entry per line. */
export interface ClientDraft {
  /** Undefined for a new client. */
  id?: string | undefined
  /** The saved name, for the dialog title. */
  title: string
  /** What a new client is for. It is not saved. */
  libraryId: string | null
  kind: Kind
  name: string
  clientId: string
  redirectUris: string
  postLogoutRedirectUris: string
  allowedOrigins: string
  scopes: string[]
  /** The tenant that a machine client acts for, null for the whole instance, undefined until it is chosen. */
  tenantId: string | null | undefined
  /** The scopes that the client has already. */
  savedScopes: string[]
  /** What the person typed to confirm wide access. */
  confirmation: string
  requireNonce: boolean
  userinfoInIdToken: boolean
  pkceMethods: Client['pkceMethods']
  responseModes: Client['responseModes']
  requirePushedRequests: boolean
  requireSignedRequests: boolean
  requireDpop: boolean
  deviceFlow: boolean
  tokenExchange: boolean
  tokenEndpointAuthMethod: Client['tokenEndpointAuthMethod']
  /** A JWK Set as JSON. */
  jwks: string
  jwksUri: string
  securityProfile: Client['securityProfile']
  backchannelLogoutUri: string
}

export const newClientDraft = (kind: Kind = 'SPA'): ClientDraft => ({
  title: '',
  libraryId: null,
  kind,
  name: '',
  clientId: '',
  tenantId: undefined,
  savedScopes: [],
  confirmation: '',
  redirectUris: '',
  postLogoutRedirectUris: '',
  allowedOrigins: '',
  scopes: defaultScopes(kind),
  requireNonce: true,
  userinfoInIdToken: true,
  pkceMethods: ['S256'],
  responseModes: ['query'],
  requirePushedRequests: false,
  requireSignedRequests: false,
  requireDpop: false,
  deviceFlow: false,
  tokenExchange: false,
  tokenEndpointAuthMethod: 'client_secret',
  jwks: '',
  jwksUri: '',
  securityProfile: 'NONE',
  backchannelLogoutUri: '',
})

/** What the server sets and demands with a security profile. */
export const FAPI2 = {
  securityProfile: 'FAPI2',
  requirePushedRequests: true,
  requireDpop: true,
  pkceMethods: ['S256'],
  deviceFlow: false,
  tokenEndpointAuthMethod: 'private_key_jwt',
} satisfies Partial<ClientDraft>

/** The default scopes of a new client. Those of a machine are chosen by a person. */
export const defaultScopes = (kind: Kind): string[] => (kind === 'MACHINE' ? [] : PERSONAL_SCOPES)

export const toClientDraft = (client: Client): ClientDraft => ({
  ...client,
  title: client.name,
  libraryId: null,
  savedScopes: client.scopes,
  confirmation: '',
  redirectUris: client.redirectUris.join('\n'),
  postLogoutRedirectUris: client.postLogoutRedirectUris.join('\n'),
  allowedOrigins: client.allowedOrigins.join('\n'),
  jwks: client.jwks ? JSON.stringify(client.jwks, undefined, 2) : '',
  jwksUri: client.jwksUri ?? '',
  backchannelLogoutUri: client.backchannelLogoutUri ?? '',
})

/** The body of a PATCH request. */
export function toClientSettings(draft: ClientDraft): NonNullable<Input<'PATCH /api/admin/clients/{id}'>['body']> {
  const {
    kind,
    name,
    scopes,
    requireNonce,
    userinfoInIdToken,
    pkceMethods,
    responseModes,
    requirePushedRequests,
    deviceFlow,
  } = draft
  const { requireDpop, requireSignedRequests, tokenExchange } = draft
  if (kind === 'MACHINE') return { name, scopes, tokenExchange, ...toAuthentication(draft) }
  return {
    name,
    scopes,
    ...(kind === 'WEB' && { tokenExchange, ...toAuthentication(draft), securityProfile: draft.securityProfile }),
    requireSignedRequests,
    ...(requireSignedRequests && toKeys(draft)),
    requireNonce,
    userinfoInIdToken,
    pkceMethods,
    responseModes,
    requirePushedRequests,
    requireDpop,
    deviceFlow,
    redirectUris: toLines(draft.redirectUris),
    postLogoutRedirectUris: toLines(draft.postLogoutRedirectUris),
    allowedOrigins: toLines(draft.allowedOrigins),
    backchannelLogoutUri: draft.backchannelLogoutUri.trim() || null,
  }
}

/** With a secret, the keys stay as they are. */
const toAuthentication = ({ tokenEndpointAuthMethod, ...keys }: ClientDraft) => ({
  tokenEndpointAuthMethod,
  ...(tokenEndpointAuthMethod === 'private_key_jwt' && toKeys(keys)),
})

const toKeys = ({ jwks, jwksUri }: Pick<ClientDraft, 'jwks' | 'jwksUri'>) => ({
  jwks: toKeySet(jwks),
  jwksUri: jwksUri.trim() === '' ? null : jwksUri.trim(),
})

/** A text that is not JSON becomes an empty set, which the server refuses. A single key becomes a set. */
function toKeySet(typed: string): Client['jwks'] {
  if (typed.trim() === '') return null
  try {
    const value = JSON.parse(typed)
    return 'kty' in value ? { keys: [value] } : value
  } catch {
    return { keys: [] }
  }
}

/** The body of a POST request. */
export function toNewClient(draft: ClientDraft, applicationId: string): Input<'POST /api/admin/clients'>['body'] {
  const { kind, name, clientId, tenantId } = draft
  return {
    ...toClientSettings(draft),
    applicationId,
    kind,
    name,
    ...(clientId.trim() !== '' && { clientId: clientId.trim() }),
    ...(kind === 'MACHINE' && tenantId !== undefined && { tenantId }),
  }
}

/** The distinct origins of http and https URLs. */
export const toOrigins = (addresses: string[]): string[] => [
  ...new Set(
    addresses.flatMap((address) =>
      URL.canParse(address) && /^https?:/.test(address) ? [new URL(address).origin] : [],
    ),
  ),
]
