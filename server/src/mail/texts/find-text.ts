import type { MailKind } from '../kinds.ts'
import { MAIL_TEXTS } from './mails.ts'
import { NOTICE_TEXTS } from './notices.ts'
import type { MailText, MailTexts } from './text.ts'

const TEXTS: MailTexts = { ...MAIL_TEXTS, ...NOTICE_TEXTS }

/** The text of a mail as the service comes with it. */
export const findDefaultText = (kind: MailKind): MailText => TEXTS[kind]
