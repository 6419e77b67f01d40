import { findTranslation } from '../../languages/catalogs.ts'
import { currentLanguage } from '../../languages/current-language.ts'
import type { MailKind } from '../kinds.ts'
import { MAIL_TEXTS } from './mails.ts'
import { NOTICE_TEXTS } from './notices.ts'
import type { MailText, MailTexts } from './text.ts'

const TEXTS: MailTexts = { ...MAIL_TEXTS, ...NOTICE_TEXTS }

/** The text of a mail as the service comes with it, in the current language. */
export function findDefaultText(kind: MailKind): MailText {
  const { subject, heading, text, button, note } = TEXTS[kind]
  // The texts are templates of our own, not ICU messages, so that people can edit them.
  const translate = (template: string) => findTranslation(currentLanguage(), template)
  return {
    subject: translate(subject),
    heading: translate(heading),
    text: translate(text),
    button: translate(button),
    ...(note !== undefined && { note: translate(note) }),
  }
}
