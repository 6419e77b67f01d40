import { t } from './translate.ts'

export const tenantLanguage = {
  title: t('Default language'),
  lead: t(
    'The language of sign-in pages, invitations and emails of this tenant, for people who have not chosen one themselves.',
  ),
  none: t('No default'),
}
