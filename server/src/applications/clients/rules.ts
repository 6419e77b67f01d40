import type { ClientKind, PkceMethod } from '../../db/tables.ts'
import type { FieldProblem } from '../../errors.ts'
import { NAME_RULE, parseName } from '../../lib/names.ts'
import { demand } from '../../lib/problems.ts'
import { originProblem, redirectProblem } from './addresses.ts'

const MOST_ENTRIES = 50
const CLIENT_ID = /^[A-Za-z0-9._~-]{3,100}$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** RFC 6749 §3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/
/** Scopes that speak of a person. */
const PERSONAL_SCOPES = ['openid', 'profile', 'email', 'offline_access']

/** What may be decided about a client again and again. Each rule needs its kind, which never changes. */
export interface ClientSettings {
  name: string
  redirectUris: string[]
  postLogoutRedirectUris: string[]
  allowedOrigins: string[]
  scopes: string[]
  requireNonce: boolean
  pkceMethods: PkceMethod[]
  disabled: boolean
}

export const SETTINGS = [
  'name',
  'redirectUris',
  'postLogoutRedirectUris',
  'allowedOrigins',
  'scopes',
  'requireNonce',
  'pkceMethods',
  'disabled',
] as const satisfies (keyof ClientSettings)[]

export const defaultSettings = (kind: ClientKind): Omit<ClientSettings, 'name'> => ({
  redirectUris: [],
  postLogoutRedirectUris: [],
  allowedOrigins: [],
  scopes: kind === 'MACHINE' ? [] : PERSONAL_SCOPES,
  requireNonce: true,
  pkceMethods: ['S256', 'plain'],
  disabled: false,
})

/** Whether this can be the id of a client. One in the form of a UUID could pass for a person's `sub`. */
export const isClientId = (text: string): boolean => CLIENT_ID.test(text) && !UUID.test(text)

export const CLIENT_ID_RULE =
  'must be 3 to 100 letters, digits and any of . _ ~ -, and must not have the form of a UUID'

/** What is wrong with these settings for a client of this kind. Settings left out are not judged. */
export function settingsProblems(
  kind: ClientKind,
  settings: Partial<ClientSettings>,
): (FieldProblem | undefined)[] {
  const { name, redirectUris, postLogoutRedirectUris, allowedOrigins, scopes, pkceMethods } = settings
  const redirectRule = (uri: string) => redirectProblem(uri, kind)
  return [
    demand(name === undefined || parseName(name) !== undefined, 'name', NAME_RULE),
    demand(pkceMethods?.length !== 0, 'pkceMethods', 'must name at least one'),
    ...listProblems('pkceMethods', pkceMethods, () => undefined),
    ...listProblems('scopes', scopes, (scope) => scopeProblem(kind, scope)),
    ...(kind === 'MACHINE'
      ? browserProblems({ redirectUris, postLogoutRedirectUris, allowedOrigins })
      : [
          demand(redirectUris?.length !== 0, 'redirectUris', 'must name at least one'),
          ...listProblems('redirectUris', redirectUris, redirectRule),
          ...listProblems('postLogoutRedirectUris', postLogoutRedirectUris, redirectRule),
          ...listProblems('allowedOrigins', allowedOrigins, originProblem),
        ]),
  ]
}

const browserProblems = (lists: Record<string, string[] | undefined>) =>
  Object.entries(lists).map(([field, list = []]) =>
    demand(list.length === 0, field, 'must be empty: a MACHINE client has no browser'),
  )

function scopeProblem(kind: ClientKind, scope: string): string | undefined {
  if (!SCOPE.test(scope))
    return 'must be 1 to 100 printable characters without spaces, quotes and backslashes'
  if (kind === 'MACHINE' && PERSONAL_SCOPES.includes(scope)) return 'speaks of a person, which no machine is'
  return undefined
}

function listProblems(
  field: string,
  list: string[] = [],
  problemOf: (entry: string) => string | undefined,
): FieldProblem[] {
  if (list.length > MOST_ENTRIES) return [{ field, message: `must have at most ${MOST_ENTRIES} entries` }]
  return list.flatMap((entry, index) => {
    const message = problemOf(entry) ?? (list.indexOf(entry) < index ? 'is listed twice' : undefined)
    return message === undefined ? [] : [{ field: `${field}.${index}`, message }]
  })
}
