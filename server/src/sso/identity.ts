import { type Audience, MICROSOFT, microsoftAudience, type SsoProvider, TENANT_ID } from '../config/sso.ts'
import { AppError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import { holdsWebAddress, isCleanText, isPlainLine } from '../lib/text.ts'

/** Somebody as a provider knows them: issuer and subject say who it is, the rest what they are called. */
export interface Identity {
  issuer: string
  subject: string
  /** In canonical form. */
  email: string | undefined
  /** The provider has made sure that the address is theirs, and can be believed. */
  emailVerified: boolean
  displayName: string | null
  givenName: string | null
  familyName: string | null
  pictureUrl: string | null
  /** When they proved to the provider who they are, if it tells. */
  authTime: Date | undefined
}

/** What an ID token, or the userinfo beside it, says. The token has been verified. */
export type Claims = Record<string, unknown> & { iss: string; sub: string }

/** OpenID Connect Core §2: a subject has at most 255 characters. */
const LONGEST_SUBJECT = 255
const LONGEST_DISPLAY_NAME = 200
const LONGEST_NAME = 100
const LONGEST_ADDRESS = 2_000

export function toIdentity(provider: SsoProvider, claims: Claims): Identity {
  const audience = microsoftAudience(provider.issuer)
  const problem = (audience && microsoftProblem(audience, claims)) ?? subjectProblem(claims.sub)
  if (problem) {
    throw new AppError('INVALID_REQUEST', {
      message: `This account of ${provider.label} cannot be used here.`,
      cause: problem,
    })
  }
  const email = typeof claims.email === 'string' ? parseEmail(claims.email) : undefined
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    emailVerified: email !== undefined && isEmailVerified(provider, claims),
    displayName: toName(claims.name, LONGEST_DISPLAY_NAME),
    givenName: toName(claims.given_name, LONGEST_NAME),
    familyName: toName(claims.family_name, LONGEST_NAME),
    pictureUrl: toPicture(claims.picture),
    authTime: toTime(claims.auth_time),
  }
}

/** The tenant of everybody's private Microsoft account. */
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad'

/**
 * Why a token of Microsoft's is not from whom we let in; undefined when it is. The issuers of all tenants share
 * their keys, so a good signature does not say whose token it is: `iss` and `tid` do, and must agree.
 */
export function microsoftProblem(
  audience: Audience,
  { iss, tid }: { iss?: unknown; tid?: unknown },
): string | undefined {
  if (typeof tid !== 'string' || !TENANT_ID.test(tid)) return 'tid is not the id of a tenant'
  if (iss !== `${MICROSOFT}/${tid}/v2.0`) return 'iss is not the issuer of tid'
  if (audience === 'common') return undefined
  if (audience === 'organizations')
    return tid === PERSONAL ? 'tid is the tenant of private people' : undefined
  const expected = audience === 'consumers' ? PERSONAL : audience.tenantId
  return tid === expected ? undefined : 'tid is another tenant'
}

const subjectProblem = (subject: string): string | undefined =>
  subject.length > 0 && subject.length <= LONGEST_SUBJECT && isCleanText(subject)
    ? undefined
    : 'sub is no subject'

/**
 * Whether the address is surely theirs. Microsoft lets the administrator of any tenant write any address into
 * `email`; there only `xms_edov` tells that its domain has been proven, and the operator may know better of one tenant.
 */
export function isEmailVerified(
  provider: Pick<SsoProvider, 'issuer' | 'trustEmail'>,
  claims: object,
): boolean {
  const { email_verified, xms_edov } = claims as Record<string, unknown>
  const audience = microsoftAudience(provider.issuer)
  if (provider.trustEmail && typeof audience !== 'string') return true
  if (audience) return xms_edov === true || xms_edov === 1 || xms_edov === '1' || xms_edov === 'true'
  // Some providers write it as text.
  return email_verified === true || email_verified === 'true'
}

/** A moment in seconds; undefined for what is none. */
function toTime(value: unknown): Date | undefined {
  const time = new Date(typeof value === 'number' ? value * 1000 : Number.NaN)
  return Number.isNaN(time.getTime()) ? undefined : time
}

/** A name that can be kept and shown; null when there is none. */
function toName(value: unknown, longest: number): string | null {
  if (typeof value !== 'string' || !isCleanText(value)) return null
  const name = value.replace(/\s+/g, ' ').trim()
  if (!isPlainLine(name) || holdsWebAddress(name)) return null
  return [...name].slice(0, longest).join('').trim() || null
}

function toPicture(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LONGEST_ADDRESS || !URL.canParse(value)) return null
  const { protocol, href } = new URL(value)
  return (protocol === 'https:' || protocol === 'http:') && href.length <= LONGEST_ADDRESS ? href : null
}
