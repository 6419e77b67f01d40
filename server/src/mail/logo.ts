import type { Db } from '../db/open.ts'
import { productIcon } from '../ui/icons.ts'
import { findMailLogo, type MailLogo } from './design-store.ts'

/** In place of a hash. */
const PRODUCT_LOGO = 'product'

const { type, width, height } = productIcon
export const productLogo = { hash: PRODUCT_LOGO, type, width, height }

/** The logo of a brand, or of the product; undefined if the brand has another one meanwhile. */
export const loadMailLogo = async (db: Db, hash: string): Promise<MailLogo | undefined> =>
  hash === PRODUCT_LOGO ? { logo: productIcon.body, type } : findMailLogo(db, hash)
