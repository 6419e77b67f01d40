import { isVisible } from './text.ts'

const LONGEST_NAME = 120
const LONGEST_SLUG = 63
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** A display name without the space around it; undefined when nothing is to be seen, or more than 120 characters. */
export function parseName(text: string): string | undefined {
  const name = text.trim()
  return isVisible(name) && [...name].length <= LONGEST_NAME ? name : undefined
}

export const NAME_RULE = `must have 1 to ${LONGEST_NAME} characters, and one to be seen`

export const isSlug = (text: string): boolean => SLUG.test(text)

export const SLUG_RULE = `must be 1 to ${LONGEST_SLUG} small letters, digits and hyphens, with no hyphen at either end`

/** A slug that reminds of the name. Where nothing of the name can stand in a slug, the fallback does. */
export function slugFrom(name: string, fallback: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  const slug = (words ?? []).join('-').slice(0, LONGEST_SLUG).replace(/-$/, '')
  return slug || fallback
}

/** The slug with something at its end that tells it from its like. */
export const slugWithSuffix = (slug: string, suffix: string): string =>
  `${slug.slice(0, LONGEST_SLUG - suffix.length - 1).replace(/-$/, '')}-${suffix}`
