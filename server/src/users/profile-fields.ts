import { parseImportedName, parseLocale, parseTimeZone, parseWebAddress } from '../lib/profile-values.ts'
import type { UserChange } from './store.ts'

/** A profile field that an operator may set, with its column. */
interface ProfileField {
  column: keyof UserChange
  /** The value to store; undefined for an invalid text. */
  read(text: string): string | undefined
  /** The message for an invalid text. */
  rule: string
}

const name = <C extends keyof UserChange>(column: C, maxLength: number) => ({
  column,
  read: (text: string) => parseImportedName(text, maxLength),
  rule: `must have 1 to ${maxLength} characters, none of them a control character`,
})

const webAddress = <C extends keyof UserChange>(column: C) => ({
  column,
  read: parseWebAddress,
  rule: 'must be an address that starts with http:// or https://',
})

/** E.164, or with the usual separators. */
const PHONE = /^\+?[0-9][0-9 ()./-]{2,38}[0-9]$/

export const PROFILE_FIELDS = {
  givenName: name('given_name', 100),
  familyName: name('family_name', 100),
  middleName: name('middle_name', 100),
  displayName: name('display_name', 200),
  nickname: name('nickname', 100),
  pictureUrl: webAddress('picture_url'),
  website: webAddress('website'),
  zoneinfo: {
    column: 'zoneinfo',
    read: (text: string) => (text.length <= 100 ? parseTimeZone(text) : undefined),
    rule: 'must be an IANA time zone such as Europe/Berlin',
  },
  locale: { column: 'locale', read: parseLocale, rule: 'must be a language tag such as de-DE' },
  phone: {
    column: 'phone',
    read: (text: string) => (PHONE.test(text) ? text : undefined),
    rule: 'must be a telephone number such as +49 30 1234567',
  },
} as const satisfies Record<string, ProfileField>

export type ProfileFieldName = keyof typeof PROFILE_FIELDS
export type ProfileTexts = Partial<Record<ProfileFieldName, string | undefined>>

export const PROFILE_FIELD_NAMES = Object.keys(PROFILE_FIELDS) as ProfileFieldName[]

export const PROFILE_COLUMNS = Object.fromEntries(
  PROFILE_FIELD_NAMES.map((field) => [field, PROFILE_FIELDS[field].column]),
) as { [N in ProfileFieldName]: (typeof PROFILE_FIELDS)[N]['column'] }

/** The columns of the fields that are set. The texts are validated already. */
export const toColumns = (texts: ProfileTexts): UserChange =>
  Object.fromEntries(
    PROFILE_FIELD_NAMES.flatMap((field) =>
      texts[field] === undefined ? [] : [[PROFILE_FIELDS[field].column, texts[field]]],
    ),
  )
