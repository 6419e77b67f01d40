import type { Db } from '../db/open.ts'
import { findMailDesign, type MailDesignQuery, type MailEdits, type StoredMailBrand } from './design-store.ts'
import type { MailKind } from './kinds.ts'
import { productLogo } from './logo.ts'
import type { MailText } from './texts/text.ts'

/** What a mail looks like, and what its texts and its language depend on. */
export interface MailDesign {
  brand: StoredMailBrand
  /** Each replaces parts of the text before it; the first one those of the default text. */
  edits: MailEdits[]
  /** The default language of the tenant that the mail is about. */
  tenantLanguage?: string | null
  /** Of the account with the address that the mail goes to. */
  locale?: string | null
}

export const DEFAULT_BRAND: StoredMailBrand = { name: 'Latchkey', color: null, logo: productLogo }

/**
 * The design of a mail. The brand and the texts of the tenant take precedence over those of the application and of the
 * instance. To mail many people at once, load it once.
 */
export async function loadMailDesign(
  db: Db,
  kind: MailKind,
  { clientId, tenantId, tenant, fromOperator, recipient, unapproved }: Omit<MailDesignQuery, 'kind'> = {},
): Promise<MailDesign> {
  const query = { kind, clientId, tenantId, tenant, fromOperator, recipient, unapproved }
  const found = await findMailDesign(db, query)
  const { ofTenant, ofApplication, instanceEdits, tenantEdits, tenantLanguage = null, locale = null } = found ?? {}
  return {
    brand: ofTenant ?? ofApplication ?? DEFAULT_BRAND,
    edits: [instanceEdits, tenantEdits].filter((edits) => edits != null),
    tenantLanguage,
    locale,
  }
}

/** The text with the edited parts in place of its own. */
export const applyEdits = (text: MailText, edits: MailEdits | null | undefined): MailText => ({
  ...text,
  subject: edits?.subject ?? text.subject,
  heading: edits?.heading ?? text.heading,
  text: edits?.text ?? text.text,
  button: edits?.button ?? text.button,
})
