/**
 * A name that somebody else chose, for a mail of ours: it must be seen where it begins and ends, and must not look like
 * something that we say or link to. New names hold no web address; older ones, and those from imports and providers, may.
 */
export function quoted(name: string, longest = LONGEST): string {
  const line = name.replace(BREAKS, ' ').replace(INVISIBLE, '').replace(QUOTES, "'").replace(/\s+/g, ' ')
  return `"${shorten(line.trim(), longest).replace(LINKED, `$&${GAP}`)}"`
}

function shorten(text: string, longest: number): string {
  const characters = [...text]
  if (characters.length <= longest) return text
  const start = characters.slice(0, longest - 1).join('')
  return `${start.trim()}…`
}

const LONGEST = 60

const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]/gu
/** All that shows nothing, such as marks that turn the text around; some scripts and emoji need the two joiners. */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const QUOTES = /["“”„‟«»＂ʺ״″‶❝❞〝〞〟]/g

/** Mail programs make a link of what has a scheme, and of every domain: of a point with a letter behind it. */
const LINKED = /:(?=\ufe0f?\/)|[.．。｡](?=\ufe0f?[\p{L}\p{N}])/gu
/** A zero-width space keeps them from it, and looks like nothing. */
const GAP = '\u200b'
