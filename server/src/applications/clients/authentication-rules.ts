import type { Config, WebhookConfig } from '../../config.ts'
import type { ClientAuthMethod, ClientKind, ClientOrigin, PublicKeySet } from '../../db/tables.ts'
import type { FieldProblem } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import { checkField } from '../../lib/field-validation.ts'
import { findUrlProblem } from '../../lib/outgoing/url.ts'
import { findPublicKeyProblem, thumbprintOf } from '../../lib/public-keys.ts'

const MAX_KEYS = 10

interface KeySource {
  jwks: PublicKeySet | null
  jwksUri: string | null
}

type Problems = (FieldProblem | undefined)[]

/** Where requests may be sent for a client. Private networks are open only to clients of administrators. */
export const outgoingNetworks = ({ webhooks, outsideClients }: Config, origin: ClientOrigin): WebhookConfig =>
  origin === 'ADMIN' ? webhooks : outsideClients

/** The problems of the keys of a client, or of the place where they are fetched. */
export function keySourceProblems(networks: WebhookConfig, { jwks, jwksUri }: Partial<KeySource>): Problems {
  const problem = typeof jwksUri === 'string' ? findUrlProblem(networks, jwksUri) : undefined
  return [
    ...(jwks ? keyProblems(jwks) : []),
    problem === undefined ? undefined : { field: 'jwksUri', message: problem },
  ]
}

function keyProblems({ keys }: PublicKeySet): Problems {
  if (keys.length === 0 || keys.length > MAX_KEYS)
    return [{ field: 'jwks.keys', message: t('must have 1 to {max}', { max: MAX_KEYS }) }]
  const problems = keys.map((key, index) => {
    const message = findPublicKeyProblem(key)
    return message === undefined ? undefined : { field: `jwks.keys.${index}`, message }
  })
  if (problems.some((problem) => problem !== undefined)) return problems
  const kids = keys.flatMap(({ kid = [] }) => kid)
  return [
    checkField(new Set(kids).size === kids.length, 'jwks.keys', t('must have different kids')),
    checkField(new Set(keys.map(thumbprintOf)).size === keys.length, 'jwks.keys', t('must be different')),
  ]
}

/** How a client authenticates must suit its kind, and needs the right credentials. */
export function authenticationProblems(
  kind: ClientKind,
  {
    tokenEndpointAuthMethod: method,
    requireSignedRequests,
    jwks,
    jwksUri,
  }: KeySource & { tokenEndpointAuthMethod: ClientAuthMethod; requireSignedRequests: boolean },
): Problems {
  const hasKeys = jwks !== null || jwksUri !== null
  return [
    checkField(
      (kind === 'SPA') === (method === 'none'),
      'tokenEndpointAuthMethod',
      kind === 'SPA'
        ? t('must be none: a browser cannot keep a secret')
        : t('must be client_secret or private_key_jwt'),
    ),
    checkField(jwks === null || jwksUri === null, 'jwksUri', t('must be null if jwks is set')),
    checkField(method !== 'private_key_jwt' || hasKeys, 'jwks', t('is required for private_key_jwt, or jwksUri')),
    checkField(!requireSignedRequests || hasKeys, 'jwks', t('is required for requireSignedRequests, or jwksUri')),
  ]
}
