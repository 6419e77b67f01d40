import type { MailKind } from '../kinds.ts'

/**
 * The texts of a mail. Each is a whole message with variables, such as `{{application}}`; no sentence is composed of
 * parts, so that every text can be translated.
 */
export interface MailText {
  subject: string
  heading: string
  /** Paragraphs are separated by an empty line. */
  text: string
  /** Empty: the mail has no button. */
  button: string
  /** What to do about an unexpected mail. It cannot be edited, so that no edit removes this advice. */
  note?: string
}

export type MailTexts<K extends MailKind = MailKind> = Record<K, MailText>
