import type { Db } from '../db/open.ts'
import { findMailDesign, type MailDesignQuery, type MailEdits, type StoredMailBrand } from './design-store.ts'
import type { MailKind } from './kinds.ts'
import { productLogo } from './logo.ts'
import { findDefaultText } from './texts/find-text.ts'
import type { MailText } from './texts/text.ts'

/** What a mail looks like, and its texts. */
export interface MailDesign {
  brand: StoredMailBrand
  text: MailText
}

export const DEFAULT_BRAND: StoredMailBrand = { name: 'Latchkey', color: null, logo: productLogo }

/**
 * The design of a mail. The brand and the texts of the tenant take precedence over those of the application and of the
 * instance. To mail many people at once, load it once.
 */
export async function loadMailDesign(
  db: Db,
  kind: MailKind,
  origin: Omit<MailDesignQuery, 'kind'> = {},
): Promise<MailDesign> {
  const { clientId, tenantId, tenant, recipient, unapproved } = origin
  const found = await findMailDesign(db, {
    kind,
    clientId,
    tenantId,
    tenant,
    recipient,
    ...(unapproved && { unapproved }),
  })
  const text = applyEdits(applyEdits(findDefaultText(kind), found?.instanceEdits), found?.tenantEdits)
  return { brand: found?.ofTenant ?? found?.ofApplication ?? DEFAULT_BRAND, text }
}

/** The text with the edited parts in place of its own. */
export const applyEdits = (text: MailText, edits: MailEdits | null | undefined): MailText => ({
  ...text,
  subject: edits?.subject ?? text.subject,
  heading: edits?.heading ?? text.heading,
  text: edits?.text ?? text.text,
  button: edits?.button ?? text.button,
})
