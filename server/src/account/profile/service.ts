import { recordAuditEvent, userActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import type { Person } from '../../http/routing/callers.ts'
import { t } from '../../languages/translate.ts'
import { toDisplayName } from '../../lib/display-name.ts'
import { checkField, requireAnyField, throwIfInvalid } from '../../lib/field-validation.ts'
import {
  parseBirthdate,
  parseLocale,
  parsePersonName,
  parseTimeZone,
  parseWebAddress,
} from '../../lib/profile-values.ts'
import { findSupportAccess } from '../../sessions/support/session.ts'
import { listMembershipsOf } from '../../tenants/service.ts'
import { changeUser, findUser, type User } from '../../users/service.ts'
import { lockCurrentUser, type PersonRequest } from '../confirm-identity.ts'
import type { Profile, UpdatedProfile, UpdateProfileRequest } from './schema.ts'
import { findProfile } from './store.ts'

/** For an operator who acts as the person, also what they may do, without the other tenants. */
export async function getOwnProfile(ctx: Ctx, { userId, sessionId, support }: Person): Promise<Profile> {
  const profile = await getProfile(ctx, userId)
  const access = support && (await findSupportAccess(ctx, sessionId))
  if (!support) return profile
  if (!access) throw new AppError('UNAUTHORIZED')
  return {
    ...profile,
    memberships: profile.memberships.filter(({ tenantId }) => tenantId === support.tenantId),
    supportAccess: { ...access, endsAt: access.endsAt.toISOString() },
  }
}

export async function getProfile({ db, now }: Ctx, userId: string): Promise<Profile> {
  const [user, memberships] = await Promise.all([findProfile(db, userId), listMembershipsOf(db, userId, now())])
  if (!user) throw new AppError('UNAUTHORIZED')
  return {
    id: user.id,
    email: user.email,
    emailVerified: user.email_verified,
    username: user.username,
    displayName: toDisplayName(user),
    givenName: user.given_name,
    familyName: user.family_name,
    middleName: user.middle_name,
    nickname: user.nickname,
    pictureUrl: user.picture_url,
    website: user.website,
    gender: user.gender,
    birthdate: user.birthdate,
    zoneinfo: user.zoneinfo ?? 'UTC',
    locale: user.locale ?? 'en',
    phone: user.phone,
    phoneVerified: user.phone_verified,
    mfaEnabled: Boolean(user.mfa_enabled),
    createdAt: user.created_at.toISOString(),
    updatedAt: user.updated_at.toISOString(),
    memberships,
  }
}

export type ProfileField = keyof UpdateProfileRequest

interface Rule {
  column: keyof User
  /** The value to store; null clears the column, undefined is an invalid text. */
  parse(text: string, now: Date): string | null | undefined
  /** The message for an invalid text. */
  message(): string
}

/** An empty text clears the column. */
const optional =
  (parse: Rule['parse']): Rule['parse'] =>
  (text, now) =>
    text === '' ? null : parse(text, now)

const name = (column: keyof User, maxLength: number): Rule => ({
  column,
  parse: optional((text) => parsePersonName(text, maxLength)),
  message: () =>
    t('must have 1 to {max} characters, none of them a control character, and hold no web address, or be empty', {
      max: maxLength,
    }),
})

const webAddress = (column: keyof User): Rule => ({
  column,
  parse: optional(parseWebAddress),
  message: () => t('must be an address that starts with http:// or https:// and holds no credentials, or be empty'),
})

const RULES: Record<ProfileField, Rule> = {
  displayName: name('display_name', 200),
  givenName: name('given_name', 100),
  familyName: name('family_name', 100),
  middleName: name('middle_name', 100),
  nickname: name('nickname', 100),
  pictureUrl: webAddress('picture_url'),
  website: webAddress('website'),
  gender: name('gender', 100),
  birthdate: {
    column: 'birthdate',
    parse: optional(parseBirthdate),
    message: () => t('must be a date up to today, as 1990-12-31, or be empty'),
  },
  zoneinfo: {
    column: 'zoneinfo',
    parse: parseTimeZone,
    message: () => t('must be an IANA time zone such as Europe/Berlin'),
  },
  locale: { column: 'locale', parse: parseLocale, message: () => t('must be a language tag such as de-DE') },
}
const FIELDS = Object.keys(RULES) as ProfileField[]

/** The stored profile fields, without the defaults that `getProfile` adds. */
export const toProfileFields = (user: User): Record<ProfileField, string> =>
  Object.fromEntries(FIELDS.map((field) => [field, user[RULES[field].column] ?? ''])) as Record<ProfileField, string>

interface FieldChange extends Pick<Rule, 'column'> {
  field: ProfileField
  value: string | null
}

/** Changes the person's own profile. Nothing is stored if any field is invalid. */
export async function changeProfile(
  ctx: Ctx,
  { caller, request }: PersonRequest,
  change: UpdateProfileRequest,
): Promise<UpdatedProfile> {
  requireAnyField(change)
  const fieldChanges = parseChange(change, ctx.now())
  const user = await ctx.db.transaction().execute((tx) => applyChange(ctx, tx, { caller, fieldChanges, request }))
  await ctx.changes.waitUntilCurrent()
  return {
    id: user.id,
    email: user.email,
    displayName: toDisplayName(user),
    givenName: user.given_name,
    familyName: user.family_name,
    middleName: user.middle_name,
    updatedAt: user.updated_at.toISOString(),
  }
}

function parseChange(change: UpdateProfileRequest, now: Date): FieldChange[] {
  const parsed = FIELDS.flatMap((field) => {
    const text = change[field]
    const { column, parse, message } = RULES[field]
    return text === undefined ? [] : [{ field, column, value: parse(text, now), message }]
  })
  throwIfInvalid(parsed.map(({ field, value, message }) => checkField(value !== undefined, field, message())))
  return parsed.map(({ field, column, value = null }) => ({ field, column, value }))
}

async function applyChange(
  ctx: Ctx,
  tx: Tx,
  { caller, fieldChanges, request }: PersonRequest & { fieldChanges: FieldChange[] },
): Promise<User> {
  const before = await lockCurrentUser(tx, caller)
  const { id: userId } = before
  const changes = fieldChanges.filter(({ column, value }) => before[column] !== value)
  if (changes.length === 0) return before
  const columns = Object.fromEntries(changes.map(({ column, value }) => [column, value]))
  await changeUser(ctx, tx, before, columns)
  await recordAuditEvent(ctx, tx, {
    action: 'user.profile_changed',
    actor: userActor(userId),
    userId,
    request,
    details: { fields: changes.map(({ field }) => field) },
    personal: {
      before: Object.fromEntries(changes.map(({ field, column }) => [field, before[column]])),
      after: Object.fromEntries(changes.map(({ field, value }) => [field, value])),
    },
  })
  return (await findUser(tx, userId)) ?? before
}
