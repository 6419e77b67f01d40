import { OAuthError } from '../errors.ts'
import { includesSecondFactor } from '../lib/amr.ts'
import { parseScope } from './scopes.ts'

/** The authentication context classes: 2 is a sign-in with a second factor, 1 is any other. */
const ONE_FACTOR = '1'
const TWO_FACTORS = '2'

export const acrOf = (amr: readonly string[]): string => (includesSecondFactor(amr) ? TWO_FACTORS : ONE_FACTOR)

/** The classes that a client wants (OpenID Connect Core §5.5.1.1). */
export interface AcrRequest {
  values: string[]
  /** The sign-in fails if it has none of them. Otherwise they are wishes. */
  isEssential: boolean
}

/** `acr_values` requests them as a voluntary claim (OpenID Connect Core §3.1.2.1). */
export function parseAcrValues(text: string | undefined): AcrRequest | undefined {
  const values = parseScope(text)
  return values.length === 0 ? undefined : { values, isEssential: false }
}

/** Throws if no sign-in has one of the essential classes. */
export function requireReachable(request: AcrRequest | undefined): void {
  if (!request?.isEssential || request.values.includes(ONE_FACTOR) || request.values.includes(TWO_FACTORS)) return
  throw new OAuthError('unmet_authentication_requirements', 'No sign-in has an acr that the client requires.', {
    facts: { acr: request.values, supported: [ONE_FACTOR, TWO_FACTORS] },
  })
}

/** Whether the client wants a second factor that the session lacks. Two factors are sufficient where one is wanted. */
export const wantsSecondFactor = (request: AcrRequest | undefined, amr: readonly string[]): boolean =>
  request?.values.includes(TWO_FACTORS) === true && !request.values.includes(ONE_FACTOR) && !includesSecondFactor(amr)

/** The `acr` of the ID token, if it must be another than that of the session: an essential value is returned as requested. */
export const toReturnedAcr = (request: AcrRequest | undefined): string | undefined =>
  request?.isEssential && !request.values.includes(TWO_FACTORS) ? ONE_FACTOR : undefined
