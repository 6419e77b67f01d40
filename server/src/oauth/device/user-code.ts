import { randomInt } from 'node:crypto'

/** Consonants only, so that no words arise, and none that look like digits or each other's sound (RFC 8628 §6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
const USER_CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)

export const newUserCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')

/** In the form in which it is shown: XXXX-XXXX. */
export const formatUserCode = (code: string): string => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`

/** Accepts small letters, and spaces or hyphens anywhere. Undefined for a text that cannot be a code. */
export function parseUserCode(text: string): string | undefined {
  const code = text.toUpperCase().replaceAll(/[\s\p{Pd}]/gu, '')
  return USER_CODE.test(code) ? code : undefined
}
