import { holdsWebAddress, isPlainLine, isVisible } from './text.ts'

/**
 * What a person may write about themselves. Each reader answers the text as it is to be kept, or undefined for what
 * will not do.
 */

/** A name without the space around it. A character is a code point. */
export function readName(text: string, longest: number): string | undefined {
  return holdsWebAddress(text) ? undefined : readAnyName(text, longest)
}

/** A name that somebody had elsewhere, which may hold a web address. */
export function readAnyName(text: string, longest: number): string | undefined {
  const name = text.trim()
  return isVisible(name) && isPlainLine(name) && [...name].length <= longest ? name : undefined
}

/**
 * The text is kept and shown as given, so it must hold nothing that readers of addresses mend each in their own way,
 * such as spaces and backslashes.
 */
const WEB_ADDRESS = /^https?:\/\/[^/?#\s"<>\\^`{|}\p{C}@]+(?:[/?#][^\s"<>\\^`{|}\p{C}]*)?$/iu

export const LONGEST_ADDRESS = 2_048

/** An address on the web, without credentials. Nobody visits it. */
export const readWebAddress = (text: string): string | undefined =>
  text.length <= LONGEST_ADDRESS && WEB_ADDRESS.test(text) && URL.canParse(text) ? text : undefined

/** A day of the calendar up to today, as OpenID Connect Core §5.1 writes one. The year is always told. */
export function readBirthdate(text: string, now: Date): string | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001') return undefined
  const date = new Date(`${text}T00:00:00Z`)
  // A day that a month does not have is no date, or would be read as one of the next.
  const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  return isDay && date <= now ? text : undefined
}

/** Names of the time zone database have an area, but for these, most of which are older than that rule. */
const WITHOUT_AREA =
  'UTC GMT UCT Universal Zulu Greenwich GMT0 GMT+0 GMT-0 CET EET MET WET EST HST MST EST5EDT CST6CDT MST7MDT PST8PDT ' +
  'Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya NZ NZ-CHAT Navajo Poland ' +
  'Portugal PRC ROC ROK Singapore Turkey W-SU'
const AREAS =
  'Africa America Antarctica Arctic Asia Atlantic Australia Brazil Canada Chile Etc Europe Indian Mexico Pacific US'
/** Other readers of these names insist on the case, so it is not mended here. */
const ZONE = /^([A-Z][A-Za-z]+)\/[A-Z][A-Za-z0-9]*(?:[/_+-][A-Za-z0-9]+)*$/
const ALL_CAPITALS = /\/[A-Z]{4,}$/

function looksLikeZone(text: string): boolean {
  const [, area] = ZONE.exec(text) ?? []
  if (area === undefined) return WITHOUT_AREA.split(' ').includes(text)
  return AREAS.split(' ').includes(area) && !ALL_CAPITALS.test(text)
}

/** A time zone by a name of the IANA database, be it today's or one from before. */
export function readZone(text: string): string | undefined {
  const canonical = looksLikeZone(text) ? findZone(text) : undefined
  if (canonical === undefined) return undefined
  // Asia/Kolkata may be known here under its older name; it is kept as given.
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

/** RFC 5646 §4.4.1: no tag in use is longer. */
const LONGEST_LOCALE = 35

/** A language tag (BCP 47) in its canonical form. The language comes first and has a code of two or three letters. */
export function readLocale(text: string): string | undefined {
  if (text.length > LONGEST_LOCALE || !/^[a-z]{2,3}(?:-|$)/i.test(text)) return undefined
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}
