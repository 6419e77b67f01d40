import type { RequestedClaims } from '../db/tables.ts'
import { type AcrRequest, parseAcrValues } from './acr.ts'
import { scopeOfClaim } from './user-claims.ts'

/** What the `claims` parameter requests (OpenID Connect Core §5.5), and what `acr_values` adds to it. */
export interface ClaimsRequest {
  claims: RequestedClaims
  /** The ids of the users that the response may be about; undefined if no `sub` is named. */
  subjects: string[] | undefined
  acr: AcrRequest | undefined
}

export const NO_CLAIMS: RequestedClaims = { userinfo: [], idToken: [] }

/** Claims that are not known are ignored, and so is a parameter that is not JSON: it must not break a request. */
export function readClaimsRequest(text: string | undefined, acrValues: string | undefined): ClaimsRequest {
  const members = text === undefined ? undefined : toObject(parse(text))
  const userinfo = toObject(members?.userinfo)
  const idToken = toObject(members?.id_token)
  return {
    claims: { userinfo: listClaims(userinfo), idToken: listClaims(idToken) },
    // The response must not be about anybody else (§3.1.2.2, §5.5.1).
    subjects: [idToken, userinfo].map((member) => toTexts(toObject(member?.sub))).reduce(intersect, undefined),
    acr: readAcr(toObject(idToken?.acr)) ?? parseAcrValues(acrValues),
  }
}

/** The claims whose scope the client may have: a client that must not see an address cannot get it by its name. */
export function limitClaims(claims: RequestedClaims, clientScopes: string[]): RequestedClaims {
  const isAllowed = (name: string) => clientScopes.includes(scopeOfClaim(name) ?? '')
  return { ...claims, userinfo: claims.userinfo.filter(isAllowed), idToken: claims.idToken.filter(isAllowed) }
}

/** The ids that are in both lists. A list that is undefined allows all. */
export function intersect(first: string[] | undefined, second: string[] | undefined): string[] | undefined {
  if (!first || !second) return first ?? second
  return first.filter((id) => second.includes(id))
}

type JsonObject = Record<string, unknown>

const toObject = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : undefined

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The claims about the user. A request is null or an object. The values that it names are not compared. */
const listClaims = (member: JsonObject | undefined): string[] =>
  Object.entries(member ?? {})
    .filter(([name, request]) => typeof request === 'object' && scopeOfClaim(name) !== undefined)
    .map(([name]) => name)

function readAcr(request: JsonObject | undefined): AcrRequest | undefined {
  const values = toTexts(request)
  return values && { values, isEssential: request?.essential === true }
}

/** The texts that `value` and `values` allow. Anything else is the value of nobody. */
function toTexts(request: JsonObject | undefined): string[] | undefined {
  const { value, values } = request ?? {}
  const one = value === undefined ? undefined : [value].filter(isText)
  const several = values === undefined ? undefined : [values].flat().filter(isText)
  return intersect(one, several)
}

const isText = (value: unknown): value is string => typeof value === 'string'
