import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { displayNameOf } from '../lib/display-name.ts'
import { type Eventual, whenThere } from '../lib/eventual.ts'
import { findLiveToken, type LiveToken, readBearer } from './access-tokens.ts'
import type { UserInfo } from './schema.ts'
import type { LiveGrantRow } from './store.ts'

/** What the holder of the token allowed it to tell (OpenID Connect Core §5.3, §5.4). */
export function answerUserInfo(ctx: Ctx, request: FastifyRequest, formToken?: string): Eventual<UserInfo> {
  const token = readToken(request, formToken)
  const live = token === undefined ? undefined : findLiveToken(ctx, token)
  return whenThere(live, (known) => {
    if (!known) throw refuse('invalid_token', 'The access token is not valid.')
    return claimsOf(known)
  })
}

/** The token of the header or of the form. RFC 6750 §2: there is one way in a request. */
function readToken(request: FastifyRequest, formToken: string | undefined): string | undefined {
  if (request.headers.authorization === undefined) {
    // RFC 6750 §3.1: whoever brought nothing is told what to bring, and no more.
    if (formToken === undefined) {
      throw refuse('invalid_token', 'Send an access token as Authorization: Bearer.', 'Bearer')
    }
    return formToken
  }
  if (formToken !== undefined) {
    throw refuse('invalid_request', 'Send the access token in the header or in the form, not in both.')
  }
  return readBearer(request)
}

/** What was told of a token before is told again, for as long as it is known to be alive. */
const told = new WeakMap<LiveToken, UserInfo>()

function claimsOf(live: LiveToken): UserInfo {
  const before = told.get(live)
  if (before) return before
  const { person, scopes } = live
  if (!person || !scopes.includes('openid')) {
    throw refuse('insufficient_scope', 'The access token lacks the scope openid.')
  }
  const claims = {
    sub: person.id,
    ...(scopes.includes('profile') && profileClaims(person)),
    ...(scopes.includes('email') && { email: person.email, email_verified: person.email_verified }),
  }
  told.set(live, claims)
  return claims
}

const refuse = (
  code: 'invalid_request' | 'invalid_token' | 'insufficient_scope',
  description: string,
  challenge?: string,
) =>
  new OAuthError(code, description, {
    headers: {
      'WWW-Authenticate': challenge ?? `Bearer error="${code}", error_description="${description}"`,
    },
  })

function profileClaims(person: LiveGrantRow): Partial<UserInfo> {
  const claims = {
    name: displayNameOf(person),
    given_name: person.given_name,
    family_name: person.family_name,
    middle_name: person.middle_name,
    nickname: person.nickname,
    picture: person.picture_url,
    website: person.website,
    gender: person.gender,
    birthdate: person.birthdate,
    zoneinfo: person.zoneinfo ?? 'UTC',
    locale: person.locale ?? 'en',
    updated_at: Math.floor(person.updated_at.getTime() / 1000),
  }
  // A claim without a value is left out (OpenID Connect Core §5.3.2).
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null))
}
