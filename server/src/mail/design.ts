import type { Db } from '../db/open.ts'
import { findMailBrands, type MailOrigin, type StoredMailBrand } from './design-store.ts'
import type { MailKind } from './kinds.ts'
import { findDefaultText } from './texts/find-text.ts'
import type { MailText } from './texts/text.ts'

/** What a mail looks like, and its texts. */
export interface MailDesign {
  brand: StoredMailBrand
  text: MailText
}

export const DEFAULT_BRAND: StoredMailBrand = { name: 'Latchkey', color: null, logo: null }

/**
 * The design of a mail. The brand of the tenant takes precedence over that of the application. To mail many people at
 * once, load it once.
 */
export async function loadMailDesign(db: Db, kind: MailKind, origin: MailOrigin = {}): Promise<MailDesign> {
  const { ofApplication, ofTenant } = await findMailBrands(db, origin)
  return { brand: ofTenant ?? ofApplication ?? DEFAULT_BRAND, text: findDefaultText(kind) }
}
