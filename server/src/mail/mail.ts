import type { Role } from '../db/tables.ts'
import type { MailDesign } from './design.ts'
import type { MailOrigin } from './design-store.ts'
import type { MAIL_KINDS, MailKind, MailVariable } from './kinds.ts'
import type { NoticeKind } from './texts/notices.ts'
import type { DISABLED_REASONS, FactLabel } from './texts/phrases.ts'

/** The facts whose values are put into words in the language of the mail. The others are texts. */
interface FactValues {
  /** A User-Agent header. */
  device: string
  disabledReason: keyof typeof DISABLED_REASONS
  erasedOn: Date
  role: Role
  time: Date
  until: Date
}

/** A line below the text, such as "Device: Chrome on Linux". */
export type MailFact = {
  [L in FactLabel]: { label: L; value: L extends keyof FactValues ? FactValues[L] : string }
}[FactLabel]

/** Variables whose values are put into words in the language of the mail: seconds, and a date. */
interface VariableValues {
  validity: number
  expires: Date
}

type ValueOf<V extends MailVariable> = V extends keyof VariableValues ? VariableValues[V] : string

/** Whom a mail goes to: the address of the account, or with the locale if that is known already. */
export type Recipient = string | { email: string; locale: string | null }

interface Common {
  /** The page of the service that the button opens. It is appended to BASE_URL. */
  path: string
  facts?: MailFact[]
  /** The application or tenant that the mail is about, which decides its brand, its texts and its default language. */
  origin?: MailOrigin | undefined
  /** Instead of `origin`, for those who mail many people. */
  design?: MailDesign
}

type KindWithValues = Exclude<MailKind, NoticeKind>

type MailOf<K extends KindWithValues> = Common & { kind: K } & ((typeof MAIL_KINDS)[K] extends readonly []
    ? { values?: undefined }
    : { values: { readonly [V in (typeof MAIL_KINDS)[K][number]]: ValueOf<V> } })

/** A mail before it is rendered. */
export type Mail =
  | { [K in KindWithValues]: MailOf<K> }[KindWithValues]
  | (Common & { kind: NoticeKind; values?: undefined })
