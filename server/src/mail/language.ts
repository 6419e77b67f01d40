import { findRequestLanguage } from '../languages/current-language.ts'
import { DEFAULT_LANGUAGE, type Language, matchLanguage } from '../languages/languages.ts'
import type { MailDesign } from './design.ts'
import { type MailKind, REQUESTED_KINDS } from './kinds.ts'

/**
 * The language of a mail: what its reader has chosen, then the language of the request if the reader makes it, then the
 * default language of the tenant that the mail is about.
 */
export function chooseLanguage(
  kind: MailKind,
  { locale, tenantLanguage }: Pick<MailDesign, 'locale' | 'tenantLanguage'>,
): Language {
  return (
    matchLanguage(locale ? [locale] : []) ??
    (REQUESTED_KINDS.includes(kind) ? findRequestLanguage() : undefined) ??
    matchLanguage(tenantLanguage ? [tenantLanguage] : []) ??
    DEFAULT_LANGUAGE
  )
}
