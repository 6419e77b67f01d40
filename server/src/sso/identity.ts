import {
  MICROSOFT_LOGIN_URL,
  MICROSOFT_TENANT_ID,
  type MicrosoftAudience,
  parseMicrosoftAudience,
  type SsoProvider,
} from '../config/sso.ts'
import { AppError } from '../errors.ts'
import { t } from '../languages/translate.ts'
import { parseEmail } from '../lib/email.ts'
import { containsWebAddress, isCleanText, isPlainLine } from '../lib/text.ts'

/** A user as the provider describes them, identified by issuer and subject. */
export interface Identity {
  issuer: string
  subject: string
  email: string | undefined
  /** The provider has verified the address, and is trusted to. */
  emailVerified: boolean
  displayName: string | null
  givenName: string | null
  familyName: string | null
  pictureUrl: string | null
  /** When the user authenticated at the provider, if it says so. */
  authTime: Date | undefined
}

/** The claims of a verified ID token and of userinfo. */
export type Claims = Record<string, unknown> & { iss: string; sub: string }

/** OpenID Connect Core §2: a subject has at most 255 characters. */
const MAX_SUBJECT_LENGTH = 255
const MAX_DISPLAY_NAME_LENGTH = 200
const MAX_NAME_LENGTH = 100
const MAX_URL_LENGTH = 2_000

export function toIdentity(provider: SsoProvider, claims: Claims): Identity {
  const audience = parseMicrosoftAudience(provider.issuer)
  const problem = (audience && microsoftProblem(audience, claims)) ?? subjectProblem(claims.sub)
  if (problem) {
    throw new AppError('INVALID_REQUEST', {
      message: t('This account of {provider} cannot be used here.', { provider: provider.label }),
      cause: problem,
    })
  }
  const email = typeof claims.email === 'string' ? parseEmail(claims.email) : undefined
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    emailVerified: email !== undefined && isEmailVerified(provider, claims),
    displayName: toName(claims.name, MAX_DISPLAY_NAME_LENGTH),
    givenName: toName(claims.given_name, MAX_NAME_LENGTH),
    familyName: toName(claims.family_name, MAX_NAME_LENGTH),
    pictureUrl: toPicture(claims.picture),
    authTime: toTime(claims.auth_time),
  }
}

/** The tenant of all personal Microsoft accounts. */
const PERSONAL_TENANT_ID = '9188040d-6c67-4c5b-b112-36a304b66dad'

/**
 * The reason to refuse a Microsoft token; undefined if there is none. The issuers of all tenants share their keys, so
 * the signature does not identify the tenant: `iss` and `tid` do, and must agree.
 */
export function microsoftProblem(
  audience: MicrosoftAudience,
  { iss, tid }: { iss?: unknown; tid?: unknown },
): string | undefined {
  if (typeof tid !== 'string' || !MICROSOFT_TENANT_ID.test(tid)) return 'tid is not a tenant id'
  if (iss !== `${MICROSOFT_LOGIN_URL}/${tid}/v2.0`) return 'iss is not the issuer of tid'
  if (audience === 'common') return undefined
  if (audience === 'organizations')
    return tid === PERSONAL_TENANT_ID ? 'tid is the tenant of personal accounts' : undefined
  const expected = audience === 'consumers' ? PERSONAL_TENANT_ID : audience.tenantId
  return tid === expected ? undefined : 'tid is another tenant'
}

const subjectProblem = (subject: string): string | undefined =>
  subject.length > 0 && subject.length <= MAX_SUBJECT_LENGTH && isCleanText(subject)
    ? undefined
    : 'sub is not a valid subject'

/**
 * Whether the address can be trusted. Any Microsoft tenant administrator can set any address in `email`; only
 * `xms_edov` says that the domain was verified. The operator may trust a single tenant.
 */
export function isEmailVerified(provider: Pick<SsoProvider, 'issuer' | 'trustEmail'>, claims: object): boolean {
  const { email_verified, xms_edov } = claims as Record<string, unknown>
  const audience = parseMicrosoftAudience(provider.issuer)
  if (provider.trustEmail && typeof audience !== 'string') return true
  if (audience) return xms_edov === true || xms_edov === 1 || xms_edov === '1' || xms_edov === 'true'
  // Some providers send it as a string.
  return email_verified === true || email_verified === 'true'
}

function toTime(value: unknown): Date | undefined {
  const time = new Date(typeof value === 'number' ? value * 1000 : Number.NaN)
  return Number.isNaN(time.getTime()) ? undefined : time
}

/** A cleaned and shortened name, or null. */
function toName(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string' || !isCleanText(value)) return null
  const name = value.replace(/\s+/g, ' ').trim()
  if (!isPlainLine(name) || containsWebAddress(name)) return null
  return [...name].slice(0, maxLength).join('').trim() || null
}

function toPicture(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH || !URL.canParse(value)) return null
  const { protocol, href } = new URL(value)
  return (protocol === 'https:' || protocol === 'http:') && href.length <= MAX_URL_LENGTH ? href : null
}
