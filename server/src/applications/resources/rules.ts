import type { FieldProblem } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import { checkField } from '../../lib/field-validation.ts'
import { nameRule, parseName } from '../../lib/names.ts'
import { redirectProblem } from '../clients/addresses.ts'
import { isClientId, listProblems, PERSONAL_SCOPES, SCOPE, SCOPE_RULE } from '../clients/rules.ts'

/** The URI is in every token. */
export const MAX_URI_LENGTH = 500

/** Scopes that already have a meaning for this service. */
const RESERVED_SCOPES = [...PERSONAL_SCOPES, 'admin']

/** The settings of a resource that can be changed. */
export interface ResourceSettings {
  name: string
  scopes: string[]
  /** The client ids of the clients of other applications that may request tokens for it. */
  allowedClients: string[]
  /** Clients that no administrator registered may request tokens for it. */
  allowDynamicClients: boolean
}

export const RESOURCE_SETTINGS = [
  'name',
  'scopes',
  'allowedClients',
  'allowDynamicClients',
] as const satisfies (keyof ResourceSettings)[]

/** The problems of these settings. Omitted settings are not checked. */
export function resourceProblems({
  uri,
  name,
  scopes,
  allowedClients,
}: Partial<ResourceSettings> & { uri?: string | undefined }): (FieldProblem | undefined)[] {
  const uriError = uri === undefined ? undefined : uriProblem(uri)
  return [
    checkField(name === undefined || parseName(name) !== undefined, 'name', nameRule()),
    uriError === undefined ? undefined : { field: 'uri', message: uriError },
    ...listProblems('scopes', scopes, scopeProblem),
    ...listProblems('allowedClients', allowedClients, (clientId) =>
      isClientId(clientId) ? undefined : t('is not the id of a client'),
    ),
  ]
}

/** RFC 8707 §2: an absolute URI without a fragment. */
const uriProblem = (uri: string): string | undefined =>
  uri.length > MAX_URI_LENGTH
    ? t('must have at most {max} characters', { max: MAX_URI_LENGTH })
    : redirectProblem(uri, 'WEB')

function scopeProblem(scope: string): string | undefined {
  if (!SCOPE.test(scope)) return t(SCOPE_RULE)
  return RESERVED_SCOPES.includes(scope) ? t('is a scope of Latchkey itself') : undefined
}
