import { t } from './translate.ts'

export const roles = {
  owner: t('Owner'),
  admin: t('Admin'),
  member: t('Member'),
  what: {
    owner: t('Can do everything, including deleting the tenant.'),
    admin: t('Manages members, seats and settings.'),
    member: t('Uses the applications of the tenant.'),
  },
  as: { owner: t('an owner'), admin: t('an admin'), member: t('a member') },
}

export const memberStatus = { ACTIVE: t('Active'), INVITED: t('Invited'), SUSPENDED: t('Suspended') }
