import { readAnyName, readLocale, readWebAddress, readZone } from '../lib/profile-values.ts'
import type { UserChange } from './store.ts'

/** What an operator may say about a person, and where it is kept. */
interface ProfileField {
  column: keyof UserChange
  /** The text as it is to be kept; undefined for what will not do. */
  read(text: string): string | undefined
  rule: string
}

const name = <C extends keyof UserChange>(column: C, longest: number) => ({
  column,
  read: (text: string) => readAnyName(text, longest),
  rule: `must have 1 to ${longest} characters, none of them a control character`,
})

const webAddress = <C extends keyof UserChange>(column: C) => ({
  column,
  read: readWebAddress,
  rule: 'must be an address that starts with http:// or https://',
})

/** As E.164 has it, or as people write it down. */
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
    read: (text: string) => (text.length <= 100 ? readZone(text) : undefined),
    rule: 'must be an IANA time zone such as Europe/Berlin',
  },
  locale: { column: 'locale', read: readLocale, rule: 'must be a language tag such as de-DE' },
  phone: {
    column: 'phone',
    read: (text: string) => (PHONE.test(text) ? text : undefined),
    rule: 'must be a telephone number such as +49 30 1234567',
  },
} as const satisfies Record<string, ProfileField>

export type ProfileName = keyof typeof PROFILE_FIELDS
export type ProfileTexts = Partial<Record<ProfileName, string | undefined>>

export const PROFILE_NAMES = Object.keys(PROFILE_FIELDS) as ProfileName[]

/** Where each is kept. */
export const PROFILE_COLUMNS = Object.fromEntries(
  PROFILE_NAMES.map((field) => [field, PROFILE_FIELDS[field].column]),
) as { [N in ProfileName]: (typeof PROFILE_FIELDS)[N]['column'] }

/** The columns of the fields that are given. The texts are as they are to be kept. */
export const toColumns = (texts: ProfileTexts): UserChange =>
  Object.fromEntries(
    PROFILE_NAMES.flatMap((field) =>
      texts[field] === undefined ? [] : [[PROFILE_FIELDS[field].column, texts[field]]],
    ),
  )
