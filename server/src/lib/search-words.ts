import { demand, refuseProblems } from './problems.ts'

const MOST_WORDS = 8
const LONGEST_SEARCH = 100

/** The words of a search, each of which must be found. */
export function readWords(search: string): string[] {
  const words = [...new Set(search.normalize('NFKC').split(/\s+/u))].filter((word) => word !== '')
  refuseProblems([demand(words.length <= MOST_WORDS, 'search', `must have at most ${MOST_WORDS} words`)])
  return words
}

/** The same of a search that may be left out, and that says something where it is not. */
export function readSearch(search: string | undefined): string[] {
  if (search === undefined) return []
  const said = search.trim()
  const fits = said !== '' && [...said].length <= LONGEST_SEARCH
  refuseProblems([demand(fits, 'search', `must have 1 to ${LONGEST_SEARCH} characters`)])
  return readWords(said)
}
