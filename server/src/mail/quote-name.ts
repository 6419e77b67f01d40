/**
 * Quotes a name chosen by a user for a mail. The quotes show where the name begins and ends, and it must not look like
 * text or a link of the service. New names contain no URL, but older, imported and SSO names may.
 */
export function quoteName(name: string, maxLength = MAX_LENGTH): string {
  const line = name.replace(BREAKS, ' ').replace(INVISIBLE, '').replace(QUOTES, "'").replace(/\s+/g, ' ')
  return `"${shorten(line.trim(), maxLength).replace(LINK_START, `$&${GAP}`)}"`
}

function shorten(text: string, maxLength: number): string {
  const characters = [...text]
  if (characters.length <= maxLength) return text
  const start = characters.slice(0, maxLength - 1).join('')
  return `${start.trim()}…`
}

const MAX_LENGTH = 60

const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]/gu
/** Invisible characters such as bidirectional marks. Joiners are kept, because some scripts and emoji need them. */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const QUOTES = /["“”„‟«»＂ʺ״″‶❝❞〝〞〟]/g

/** Mail clients turn schemes and domain names into links. */
const LINK_START = /:(?=\ufe0f?\/)|[.．。｡](?=\ufe0f?[\p{L}\p{N}])/gu
/** A zero-width space prevents the link and is invisible. */
const GAP = '\u200b'
