import type {
  ClientAuthMethod,
  ClientKind,
  PkceMethod,
  PublicKeySet,
  ResponseMode,
  SecurityProfile,
} from '../../db/tables.ts'
import type { FieldProblem } from '../../errors.ts'
import { t, translatable } from '../../languages/translate.ts'
import { checkField } from '../../lib/field-validation.ts'
import { nameRule, parseName } from '../../lib/names.ts'
import { originProblem, redirectProblem } from './addresses.ts'

export const MAX_LIST_ENTRIES = 50
const CLIENT_ID = /^[A-Za-z0-9._~-]{3,100}$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** RFC 6749 §3.3. */
export const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/
/** Scopes that only make sense for a user. */
export const PERSONAL_SCOPES = ['openid', 'profile', 'email', 'offline_access']

/** The settings of a client that can be changed. The rules depend on its kind, which never changes. */
export interface ClientSettings {
  name: string
  redirectUris: string[]
  postLogoutRedirectUris: string[]
  allowedOrigins: string[]
  scopes: string[]
  requireNonce: boolean
  /** Its ID tokens have the profile and email claims of userinfo. */
  userinfoInIdToken: boolean
  pkceMethods: PkceMethod[]
  responseModes: ResponseMode[]
  /** Authorization requests must be pushed (RFC 9126). */
  requirePushedRequests: boolean
  /** Authorization requests must be signed (RFC 9101). */
  requireSignedRequests: boolean
  /** Its token requests must have a DPoP proof. */
  requireDpop: boolean
  /** It may use the device authorization grant. */
  deviceFlow: boolean
  /** It may exchange access tokens of users for others. */
  tokenExchange: boolean
  tokenEndpointAuthMethod: ClientAuthMethod
  /** Its public keys, or where to fetch them; null if it has none. */
  jwks: PublicKeySet | null
  jwksUri: string | null
  securityProfile: SecurityProfile
  /** Where it is told that sessions ended; null: it is not told. */
  backchannelLogoutUri: string | null
  disabled: boolean
}

export const CLIENT_SETTINGS = [
  'name',
  'redirectUris',
  'postLogoutRedirectUris',
  'allowedOrigins',
  'scopes',
  'requireNonce',
  'userinfoInIdToken',
  'pkceMethods',
  'responseModes',
  'requirePushedRequests',
  'requireSignedRequests',
  'requireDpop',
  'deviceFlow',
  'tokenExchange',
  'tokenEndpointAuthMethod',
  'jwks',
  'jwksUri',
  'securityProfile',
  'backchannelLogoutUri',
  'disabled',
] as const satisfies (keyof ClientSettings)[]

export const defaultSettings = (kind: ClientKind): Omit<ClientSettings, 'name'> => ({
  redirectUris: [],
  postLogoutRedirectUris: [],
  allowedOrigins: [],
  scopes: kind === 'MACHINE' ? [] : PERSONAL_SCOPES,
  requireNonce: true,
  userinfoInIdToken: true,
  pkceMethods: ['S256', 'plain'],
  responseModes: ['query'],
  requirePushedRequests: false,
  requireSignedRequests: false,
  requireDpop: false,
  deviceFlow: false,
  tokenExchange: false,
  tokenEndpointAuthMethod: kind === 'SPA' ? 'none' : 'client_secret',
  jwks: null,
  jwksUri: null,
  securityProfile: 'NONE',
  backchannelLogoutUri: null,
  disabled: false,
})

/** A client id in the form of a UUID could be mistaken for the `sub` of a user. */
export const isClientId = (text: string): boolean => CLIENT_ID.test(text) && !UUID.test(text)

export const CLIENT_ID_RULE = translatable(
  'must be 3 to 100 letters, digits and any of . _ ~ -, and must not have the form of a UUID',
)

/** The problems of these settings for a client of this kind. Omitted settings are not checked. */
export function settingsProblems(kind: ClientKind, settings: Partial<ClientSettings>): (FieldProblem | undefined)[] {
  const { name, redirectUris, postLogoutRedirectUris, allowedOrigins, scopes, pkceMethods, responseModes } = settings
  const redirectRule = (uri: string) => redirectProblem(uri, kind)
  return [
    checkField(name === undefined || parseName(name) !== undefined, 'name', nameRule()),
    checkField(pkceMethods?.length !== 0, 'pkceMethods', t('must name at least one')),
    ...listProblems('pkceMethods', pkceMethods, () => undefined),
    checkField(responseModes?.length !== 0, 'responseModes', t('must name at least one')),
    ...listProblems('responseModes', responseModes, () => undefined),
    checkField(
      kind !== 'MACHINE' || !settings.deviceFlow,
      'deviceFlow',
      t('must be false: nobody signs in to a MACHINE client'),
    ),
    checkField(
      kind !== 'SPA' || !settings.tokenExchange,
      'tokenExchange',
      t('must be false: an SPA client cannot authenticate'),
    ),
    ...listProblems('scopes', scopes, (scope) => scopeProblem(kind, scope)),
    ...(kind === 'MACHINE'
      ? browserProblems({ redirectUris, postLogoutRedirectUris, allowedOrigins })
      : [
          checkField(redirectUris?.length !== 0, 'redirectUris', t('must name at least one')),
          ...listProblems('redirectUris', redirectUris, redirectRule),
          ...listProblems('postLogoutRedirectUris', postLogoutRedirectUris, redirectRule),
          ...listProblems('allowedOrigins', allowedOrigins, originProblem),
        ]),
  ]
}

const browserProblems = (lists: Record<string, string[] | undefined>) =>
  Object.entries(lists).map(([field, list = []]) =>
    checkField(list.length === 0, field, t('must be empty: a MACHINE client has no browser')),
  )

export const SCOPE_RULE = translatable('must be 1 to 100 printable characters without spaces, quotes and backslashes')

function scopeProblem(kind: ClientKind, scope: string): string | undefined {
  if (!SCOPE.test(scope)) return t(SCOPE_RULE)
  if (kind === 'MACHINE' && PERSONAL_SCOPES.includes(scope))
    return t('is a scope for users, which a MACHINE client cannot have')
  return undefined
}

/** The problems of the entries of a list, which must be distinct. */
export function listProblems(
  field: string,
  list: string[] = [],
  problemOf: (entry: string) => string | undefined,
): FieldProblem[] {
  if (list.length > MAX_LIST_ENTRIES)
    return [{ field, message: t('must have at most {max} entries', { max: MAX_LIST_ENTRIES }) }]
  return list.flatMap((entry, index) => {
    const message = problemOf(entry) ?? (list.indexOf(entry) < index ? t('is listed twice') : undefined)
    return message === undefined ? [] : [{ field: `${field}.${index}`, message }]
  })
}
