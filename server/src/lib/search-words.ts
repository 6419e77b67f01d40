import { t } from '../languages/translate.ts'
import { checkField, throwIfInvalid } from './field-validation.ts'

const MAX_WORDS = 8
const MAX_SEARCH_LENGTH = 100

/** Splits a search into unique words, all of which must match. */
export function parseSearchWords(search: string): string[] {
  const words = [...new Set(search.normalize('NFKC').split(/\s+/u))].filter((word) => word !== '')
  throwIfInvalid([
    checkField(words.length <= MAX_WORDS, 'search', t('must have at most {max} words', { max: MAX_WORDS })),
  ])
  return words
}

/** Validates and splits an optional search parameter. */
export function parseSearch(search: string | undefined): string[] {
  if (search === undefined) return []
  const trimmed = search.trim()
  const hasValidLength = trimmed !== '' && [...trimmed].length <= MAX_SEARCH_LENGTH
  const rule = t('must have 1 to {max} characters', { max: MAX_SEARCH_LENGTH })
  throwIfInvalid([checkField(hasValidLength, 'search', rule)])
  return parseSearchWords(trimmed)
}
