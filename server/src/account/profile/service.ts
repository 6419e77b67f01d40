import { person, record } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { displayNameOf } from '../../lib/display-name.ts'
import { demand, refuseNothing, refuseProblems } from '../../lib/problems.ts'
import { readBirthdate, readLocale, readName, readWebAddress, readZone } from '../../lib/profile-values.ts'
import { changeUser, findUser, type User } from '../../users/service.ts'
import { type Asking, lockSelf } from '../confirm-identity.ts'
import type { ChangedProfile, Profile, ProfileChange } from './schema.ts'
import { findProfile, listMembershipsOf } from './store.ts'

/** What a person sees and says of themselves. */
export async function getProfile({ db, now }: Ctx, userId: string): Promise<Profile> {
  const [user, memberships] = await Promise.all([
    findProfile(db, userId),
    listMembershipsOf(db, userId, now()),
  ])
  if (!user) throw new AppError('UNAUTHORIZED')
  return {
    id: user.id,
    email: user.email,
    emailVerified: user.email_verified,
    username: user.username,
    displayName: displayNameOf(user),
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

export type ProfileField = keyof ProfileChange

/** Where a field is kept, how its text is read, and what is said when it cannot be. */
interface Rule {
  column: keyof User
  /** Null: nothing is kept any more. Undefined: the text will not do. */
  read(text: string, now: Date): string | null | undefined
  message: string
}

const orNothing =
  (read: Rule['read']): Rule['read'] =>
  (text, now) =>
    text === '' ? null : read(text, now)

const name = (column: keyof User, longest: number): Rule => ({
  column,
  read: orNothing((text) => readName(text, longest)),
  message: `must have 1 to ${longest} characters, none of them a control character, and hold no web address, or be empty`,
})

const webAddress = (column: keyof User): Rule => ({
  column,
  read: orNothing(readWebAddress),
  message: 'must be an address that starts with http:// or https:// and holds no credentials, or be empty',
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
    read: orNothing(readBirthdate),
    message: 'must be a date up to today, as 1990-12-31, or be empty',
  },
  zoneinfo: {
    column: 'zoneinfo',
    read: readZone,
    message: 'must be an IANA time zone such as Europe/Berlin',
  },
  locale: { column: 'locale', read: readLocale, message: 'must be a language tag such as de-DE' },
}
const FIELDS = Object.keys(RULES) as ProfileField[]

/** What a person has said of themselves, without what is made up where they said nothing. */
export const ownWords = (user: User): Record<ProfileField, string> =>
  Object.fromEntries(FIELDS.map((field) => [field, user[RULES[field].column] ?? ''])) as Record<
    ProfileField,
    string
  >

/** One field as it is to become. */
interface Wish extends Pick<Rule, 'column'> {
  field: ProfileField
  value: string | null
}

/** Changes what a person says of themselves. Nothing is written unless everything is as it should be. */
export async function changeProfile(
  ctx: Ctx,
  { caller, request }: Asking,
  change: ProfileChange,
): Promise<ChangedProfile> {
  refuseNothing(change)
  const wishes = readWishes(change, ctx.now())
  const user = await ctx.db.transaction().execute((tx) => fulfil(ctx, tx, { caller, wishes, request }))
  await ctx.changes.settle()
  return {
    id: user.id,
    email: user.email,
    displayName: displayNameOf(user),
    givenName: user.given_name,
    familyName: user.family_name,
    middleName: user.middle_name,
    updatedAt: user.updated_at.toISOString(),
  }
}

function readWishes(change: ProfileChange, now: Date): Wish[] {
  const named = FIELDS.flatMap((field) => {
    const text = change[field]
    const { column, read, message } = RULES[field]
    return text === undefined ? [] : [{ field, column, value: read(text, now), message }]
  })
  refuseProblems(named.map(({ field, value, message }) => demand(value !== undefined, field, message)))
  return named.map(({ field, column, value = null }) => ({ field, column, value }))
}

async function fulfil(
  ctx: Ctx,
  tx: Tx,
  { caller, wishes, request }: Asking & { wishes: Wish[] },
): Promise<User> {
  const before = await lockSelf(tx, caller)
  const { id: userId } = before
  const changes = wishes.filter(({ column, value }) => before[column] !== value)
  if (changes.length === 0) return before
  const columns = Object.fromEntries(changes.map(({ column, value }) => [column, value]))
  await changeUser(ctx, tx, before, columns)
  await record(ctx, tx, {
    action: 'user.profile_changed',
    actor: person(userId),
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
