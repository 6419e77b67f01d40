import type { MailDesign } from './design.ts'
import type { MailOrigin } from './design-store.ts'
import type { MAIL_KINDS, MailKind } from './kinds.ts'
import type { NoticeKind } from './texts/notices.ts'
import type { FactLabel } from './texts/phrases.ts'

/** A line below the text, such as "Device: Chrome on Linux". */
export interface MailFact {
  label: FactLabel
  value: string
}

interface Common {
  /** The page of the service that the button opens. It is appended to BASE_URL. */
  path: string
  facts?: MailFact[]
  /** The application or tenant that the mail is about, which decides its brand and texts. */
  origin?: MailOrigin | undefined
  /** Instead of `origin`, for those who mail many people. */
  design?: MailDesign
}

type KindWithValues = Exclude<MailKind, NoticeKind>

type MailOf<K extends KindWithValues> = Common & { kind: K } & ((typeof MAIL_KINDS)[K] extends readonly []
    ? { values?: undefined }
    : { values: Readonly<Record<(typeof MAIL_KINDS)[K][number], string>> })

/** A mail before it is rendered. */
export type Mail =
  | { [K in KindWithValues]: MailOf<K> }[KindWithValues]
  | (Common & { kind: NoticeKind; values?: undefined })
