import { createRequire } from 'node:module'
import type * as CommonLanguage from '@zxcvbn-ts/language-common'

let common: Set<string> | undefined

/**
 * Whether this is one of the passwords that everybody tries first, in whatever letter case. The list is unpacked
 * when it is first asked for: most processes never are.
 */
export function isCommonPassword(password: string): boolean {
  common ??= loadList()
  return common.has(password.normalize('NFKC').toLowerCase())
}

/** Some 49,000 passwords of known breaches, all in small letters. */
function loadList(): Set<string> {
  const load = createRequire(import.meta.url)
  const { dictionary } = load('@zxcvbn-ts/language-common') as typeof CommonLanguage
  return new Set(dictionary['passwords-common'])
}
