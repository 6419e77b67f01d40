import { t } from './translate.ts'

/** Texts of the pages of a suspended tenant. */
export const suspendedTenant = {
  title: t('This tenant is suspended'),
  text: t(
    'Nobody can use it for now. Nothing was deleted. Ask the people who run this instance. Your account and your other tenants are not affected.',
  ),
}
