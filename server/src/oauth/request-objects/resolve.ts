import type { FastifyRequest } from 'fastify'
import { findClient } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import { AppError, OAuthError } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import { type Fields, toFields } from '../../lib/fields.ts'
import { isUnsigned, type JsonObject, type JwtProblem, toFact } from '../client-jwts/jwt.ts'
import type { AuthorizationParameters } from '../pushed-requests/reference.ts'
import { logRefusal } from '../refusals.ts'
import { maySignRequests, verifyRequestObject } from './verify.ts'

/**
 * Replaces a signed request object in the parameter `request` by the parameters in it. All others are ignored (RFC 9101
 * §6.3). A request without one, or of a client without keys, is returned as it is.
 */
export async function resolveRequestObject(ctx: Ctx, fields: Fields): Promise<AuthorizationParameters> {
  const text = fields.get('request')
  // What is wrong with such a request is found later.
  const isInvalid = fields.repeated.length > 0 || fields.get('request_uri') !== undefined
  if (text === undefined || isInvalid) return { fields }
  const client = await findClient(ctx, fields.get('client_id') ?? '')
  if (!client || client.disabled || !maySignRequests(client)) return { fields }
  const signed = await verifyRequestObject(ctx, client, text)
  if ('problem' in signed) throw invalidRequestObject(signed)
  const problem = signed.claimsProblem ?? findContradiction(fields, signed.claims)
  return {
    // An object with another client_id is refused. This client must get the error, not the other one.
    fields: toParameters({ ...signed.claims, client_id: client.clientId }),
    signed: true,
    ...(problem && { refusal: invalidRequestObject(problem) }),
  }
}

/**
 * The same at the authorization endpoint. Only the client can have chosen the redirect_uri of an object that it signed.
 * Without a valid signature the error is shown on a page. An object that does not claim to have one is not supported
 * (OpenID Connect Core §6.1), like that of a client without keys.
 */
export async function resolveRequestObjectOrShow(
  ctx: Ctx,
  request: FastifyRequest,
  fields: Fields,
): Promise<AuthorizationParameters> {
  if (isUnsigned(fields.get('request') ?? '')) return { fields }
  try {
    return await resolveRequestObject(ctx, fields)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    logRefusal(request, fields.get('client_id'), error)
    throw new AppError('INVALID_REQUEST', {
      message: t('The application sent a sign-in request that cannot be answered: its signature is not valid.'),
    })
  }
}

/** A client can find out with its own key what is wrong, so it may as well be told. */
const invalidRequestObject = ({ problem, ...facts }: JwtProblem): OAuthError =>
  new OAuthError('invalid_request_object', `The request object is not valid: ${problem}.`, {
    facts: { problem, ...facts },
  })

/** RFC 9101 §5: response_type may be repeated outside of the object, because OpenID Connect Core §6.1 requires it. */
function findContradiction(fields: Fields, { response_type }: JsonObject): JwtProblem | undefined {
  const outside = fields.get('response_type')
  if (outside === undefined || outside === response_type) return undefined
  return { problem: 'other_response_type', outside, inside: toFact(response_type) }
}

/** The claims that are no parameters. Credentials are left out because the object passes through the browser. */
const NO_PARAMETERS = [
  ...['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'sub'],
  ...['client_secret', 'client_assertion', 'client_assertion_type'],
]

/** The parameters as in a query: JSON values, such as `claims` and `max_age`, as their text. */
function toParameters(claims: JsonObject): Fields {
  const entries = Object.entries(claims).filter(([name]) => !NO_PARAMETERS.includes(name))
  const repeated = entries.flatMap(([name, value]) => (isSeveral(name, value) ? [name] : []))
  const texts = entries.flatMap(([name, value]): [string, string][] => {
    const text = toText(name, value)
    return text === '' || repeated.includes(name) ? [] : [[name, text]]
  })
  return { ...toFields(Object.fromEntries(texts)), repeated }
}

/** Only `resource` may be a list (RFC 8707 §2.1). */
const isSeveral = (name: string, value: unknown) => name === 'resource' && Array.isArray(value) && value.length > 1

function toText(name: string, value: unknown): string {
  const single: unknown = name === 'resource' && Array.isArray(value) ? value[0] : value
  if (typeof single === 'string') return single
  return single === undefined || single === null ? '' : JSON.stringify(single)
}
