import { t } from './translate.ts'

export const members = {
  title: t('Members'),
  lead: (tenant: string) => t('Who belongs to {tenant}, and what they may do.', { tenant }),
  search: t('Search by name or email'),
  name: t('Name'),
  role: t('Role'),
  status: t('Status'),
  joined: t('Joined'),
  notYet: t('Not yet'),
  actions: t('Actions'),
  you: t('You'),
  anyRole: t('Any role'),
  anyStatus: t('Any status'),
  roleOf: (name: string) => t('Role of {name}', { name }),
  more: (name: string) => t('More for {name}', { name }),
  nobody: t('Nobody was found'),
  nobodyText: t('No member matches this search and these filters.'),
  clear: t('Clear search and filters'),
  roleChanged: (name: string, role: string) => t('{name} is now {role}.', { name, role }),
  ownRole: {
    title: t('Change your own role?'),
    text: (role: string) =>
      t('You will be {role} in this tenant. Only somebody who has your current role can give it back to you.', {
        role,
      }),
    action: t('Change my role'),
  },
  suspend: t('Suspend'),
  suspended: (name: string) => t('{name} is suspended and cannot enter this tenant.', { name }),
  reactivate: t('Reactivate'),
  reactivated: (name: string) => t('{name} can enter this tenant again.', { name }),
  suspendSelf: {
    title: t('Suspend yourself?'),
    text: t('You will not be able to enter this tenant. Only another admin or owner can let you in again.'),
    action: t('Suspend myself'),
  },
  seeInvitation: t('See the invitation'),
  remove: {
    action: t('Remove'),
    title: (name: string) => t('Remove {name}?', { name }),
    text: (name: string, tenant: string) =>
      t(
        '{name} immediately loses access to {tenant}, and their seats become free. Their account stays, and you can invite them again.',
        { name, tenant },
      ),
    confirm: t('Remove member'),
    done: (name: string) => t('{name} was removed.', { name }),
  },
  leave: {
    action: t('Leave this tenant'),
    title: (tenant: string) => t('Leave {tenant}?', { tenant }),
    text: t(
      'You immediately lose access, and your seats become free. To come back, you need an invitation from an owner or admin.',
    ),
    confirm: t('Leave'),
  },
}
