import { t } from '../languages/translate.ts'

/**
 * Quotes a name chosen by a user for a mail, with the quotation marks of the language. The quotes show where the name
 * begins and ends, and it must not look like text or a link of the service. New names contain no URL, but older, imported
 * and SSO names may.
 */
export const quoteName = (name: string, maxLength = MAX_LENGTH): string =>
  t('"{name}"', { name: cleanName(name, maxLength) })

/** The name in one line, without invisible characters and links. */
export function cleanName(name: string, maxLength = MAX_LENGTH): string {
  const line = toOneLine(name).replace(QUOTES, "'").replace(/\s+/g, ' ')
  return preventLinks(shorten(line.trim(), maxLength))
}

/** Without line breaks, which could begin another header, and without invisible characters. */
export const toOneLine = (text: string): string => text.replace(BREAKS, ' ').replace(INVISIBLE, '').trim()

/** Prevents mail programs from turning a part of the text into a link. It is applied to whole sentences too. */
export const preventLinks = (text: string): string => text.replace(LINK_START, `$&${GAP}`)

/** Without the marks that give a URL a direction of its own: a mail program would take the last one as a part of it. */
export const freeUrls = (text: string): string => text.replace(/\u2068(https?:\/\/[^\s\u2069]*)\u2069/g, '$1')

function shorten(text: string, maxLength: number): string {
  const characters = [...text]
  if (characters.length <= maxLength) return text
  const start = characters.slice(0, maxLength - 1).join('')
  return `${start.trim()}…`
}

const MAX_LENGTH = 60

const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
/** Invisible characters such as bidirectional marks. Joiners are kept, because some scripts and emoji need them. */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const QUOTES = /["“”„‟«»＂ʺ״″‶❝❞〝〞〟「」『』｢｣]/g

/** Mail programs turn schemes and domain names into links, also where a value with a direction of its own begins. */
const LINK_START = /:(?=[\ufe0f\u2068]?[/\\])|(?<=\b(?:mailto|tel|sms)):|[.．。｡](?=[\ufe0f\u2068]?[\p{L}\p{N}])/giu
/** A zero-width space prevents the link and is invisible. */
const GAP = '\u200b'
