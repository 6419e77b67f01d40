import { memberStatus } from './roles.ts'
import { t } from './translate.ts'

export const tenantMembers = {
  title: t('Members'),
  lead: t('You can add people without an invitation and change what they may do.'),
  search: t('Search members'),
  role: t('Role'),
  roleOf: (name: string) => t('Role of {name}', { name }),
  roleFilter: {
    label: t('Role'),
    options: { '': t('All roles'), owner: t('Owners'), admin: t('Admins'), member: t('Members') },
  },
  status: t('Status'),
  statusFilter: {
    label: t('Status'),
    options: { '': t('Any status'), ...memberStatus },
  },
  name: t('Name'),
  joined: t('Joined'),
  actions: t('Actions'),
  actionsFor: (name: string) => t('Actions for {name}', { name }),
  none: { title: t('Nobody is in this tenant'), text: t('Add somebody with an account, and make them its owner.') },
  noMatch: { title: t('No member matches'), text: t('Try another name, address or filter.') },
  changedRole: (name: string, role: string) => t('{name} is now {role}.', { name, role }),
  suspend: t('Suspend'),
  suspended: (name: string) => t('{name} is suspended here.', { name }),
  reactivate: t('Reactivate'),
  reactivated: (name: string) => t('{name} is active again.', { name }),
  remove: {
    action: t('Remove'),
    question: (name: string) => t('Remove {name}?', { name }),
    text: t('They immediately lose access to this tenant, and their license seats become free. Their account stays.'),
    done: (name: string) => t('{name} was removed.', { name }),
  },
  account: t('Open account'),
  add: {
    button: t('Add person'),
    title: t('Add a person'),
    action: t('Add'),
    person: t('Person'),
    personHint: t('Search by name or address. They need an account with a confirmed address.'),
    placeholder: t('Start typing'),
    nobody: t('Nobody was found'),
    role: t('Role'),
    done: (name: string) => t('{name} was added.', { name }),
  },
}
