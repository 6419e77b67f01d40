import { t } from '../languages/translate.ts'
import { isVisible } from './text.ts'

const MAX_NAME_LENGTH = 120
const MAX_SLUG_LENGTH = 63
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The trimmed name; undefined if it has no visible character or is too long. */
export function parseName(text: string): string | undefined {
  const name = text.trim()
  return isVisible(name) && [...name].length <= MAX_NAME_LENGTH ? name : undefined
}

export const nameRule = (): string => t('must have 1 to {max} characters, and one to be seen', { max: MAX_NAME_LENGTH })

export const isSlug = (text: string): boolean => SLUG.test(text)

export const slugRule = (): string =>
  t('must be 1 to {max} small letters, digits and hyphens, with no hyphen at either end', { max: MAX_SLUG_LENGTH })

/** Derives a slug from the name; the fallback if the name has no usable characters. */
export function toSlug(name: string, fallback: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  const slug = (words ?? []).join('-').slice(0, MAX_SLUG_LENGTH).replace(/-$/, '')
  return slug || fallback
}

/** Appends a suffix that makes the slug unique. */
export const slugWithSuffix = (slug: string, suffix: string): string =>
  `${slug.slice(0, MAX_SLUG_LENGTH - suffix.length - 1).replace(/-$/, '')}-${suffix}`
