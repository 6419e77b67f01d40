import { containsWebAddress, isPlainLine, isVisible } from './text.ts'

/** Parsers of profile fields. Each returns the value to store, or undefined if the text is invalid. */

/** The trimmed name. The length is counted in code points. */
export function parsePersonName(text: string, maxLength: number): string | undefined {
  return containsWebAddress(text) ? undefined : parseImportedName(text, maxLength)
}

/** A name from another system, which may contain a web address. */
export function parseImportedName(text: string, maxLength: number): string | undefined {
  const name = text.trim()
  return isVisible(name) && isPlainLine(name) && [...name].length <= maxLength ? name : undefined
}

/** The text is stored and shown unchanged, so characters that URL parsers normalize differently are rejected. */
const WEB_ADDRESS = /^https?:\/\/[^/?#\s"<>\\^`{|}\p{C}@]+(?:[/?#][^\s"<>\\^`{|}\p{C}]*)?$/iu

export const MAX_WEB_ADDRESS_LENGTH = 2_048

/** An http(s) URL without credentials. The service never requests it. */
export const parseWebAddress = (text: string): string | undefined =>
  text.length <= MAX_WEB_ADDRESS_LENGTH && WEB_ADDRESS.test(text) && URL.canParse(text) ? text : undefined

/** A date up to today in the format of OpenID Connect Core §5.1. The year is required. */
export function parseBirthdate(text: string, now: Date): string | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001') return undefined
  const date = new Date(`${text}T00:00:00Z`)
  // Date maps a nonexistent day to the next month, so the result is compared with the input.
  const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  return isDay && date <= now ? text : undefined
}

/** Names in the time zone database without an area, most of them legacy. */
const WITHOUT_AREA =
  'UTC GMT UCT Universal Zulu Greenwich GMT0 GMT+0 GMT-0 CET EET MET WET EST HST MST EST5EDT CST6CDT MST7MDT PST8PDT ' +
  'Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya NZ NZ-CHAT Navajo Poland ' +
  'Portugal PRC ROC ROK Singapore Turkey W-SU'
const AREAS =
  'Africa America Antarctica Arctic Asia Atlantic Australia Brazil Canada Chile Etc Europe Indian Mexico Pacific US'
/** Case-sensitive, because other parsers of these names are. */
const ZONE = /^([A-Z][A-Za-z]+)\/[A-Z][A-Za-z0-9]*(?:[/_+-][A-Za-z0-9]+)*$/
const ALL_CAPITALS = /\/[A-Z]{4,}$/

function looksLikeZone(text: string): boolean {
  const [, area] = ZONE.exec(text) ?? []
  if (area === undefined) return WITHOUT_AREA.split(' ').includes(text)
  return AREAS.split(' ').includes(area) && !ALL_CAPITALS.test(text)
}

/** A current or former time zone name of the IANA database. */
export function parseTimeZone(text: string): string | undefined {
  const canonical = looksLikeZone(text) ? findZone(text) : undefined
  if (canonical === undefined) return undefined
  // The ICU version may use an older name as canonical, such as for Asia/Kolkata. The input is kept.
  const isAlias = canonical.toLowerCase() !== text.toLowerCase()
  return isAlias || canonical === text ? text : undefined
}

function findZone(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** RFC 5646 §4.4.1. */
const MAX_LOCALE_LENGTH = 35

/** A BCP 47 language tag in canonical form. It must start with a language code of two or three letters. */
export function parseLocale(text: string): string | undefined {
  if (text.length > MAX_LOCALE_LENGTH || !/^[a-z]{2,3}(?:-|$)/i.test(text)) return undefined
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}
