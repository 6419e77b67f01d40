import { createRequire } from 'node:module'
import type * as CommonLanguage from '@zxcvbn-ts/language-common'

let commonPasswords: Set<string> | undefined

/** Whether the password is on the list of common passwords, ignoring case. The list is loaded on first use. */
export function isCommonPassword(password: string): boolean {
  commonPasswords ??= loadCommonPasswords()
  return commonPasswords.has(password.normalize('NFKC').toLowerCase())
}

/** Some 49,000 passwords of known breaches, in lower case. */
function loadCommonPasswords(): Set<string> {
  const require = createRequire(import.meta.url)
  const { dictionary } = require('@zxcvbn-ts/language-common') as typeof CommonLanguage
  return new Set(dictionary['passwords-common'])
}
