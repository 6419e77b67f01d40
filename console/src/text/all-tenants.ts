import { t } from './translate.ts'

export const allTenants = {
  title: t('Tenants'),
  lead: t('The organizations that use this instance. Each has its own members and licenses.'),
  one: t('Tenant'),
  all: t('All tenants'),
  search: t('Search by name or slug'),
  name: t('Name'),
  slug: t('Slug'),
  members: t('Members'),
  status: t('Status'),
  created: t('Created'),
  open: t('Open'),
  suspended: t('Suspended'),
  filter: {
    label: t('Show'),
    options: { '': t('All tenants'), false: t('Open'), true: t('Suspended') },
  },
  none: {
    title: t('No tenants yet'),
    text: t(
      'A tenant is an organization with its own members and licenses. Create one for somebody, or let people create their own.',
    ),
  },
  noMatch: {
    title: t('No tenant matches'),
    text: t('The search matches the beginning of a name or slug.'),
    clear: t('Show all tenants'),
  },
  new: {
    button: t('New tenant'),
    title: t('New tenant'),
    action: t('Create tenant'),
    name: t('Name'),
    slug: t('Slug'),
    slugHint: t('Used in links and tokens. If empty, it is made from the name.'),
    owner: t('Owner’s email address'),
    ownerHint: t('A person with an account becomes the owner immediately. Anybody else is invited by email.'),
    mfa: t('Every member needs a second factor'),
    created: (name: string) => t('{name} was created.', { name }),
    invited: (name: string, email: string) =>
      t('{name} was created, and {email} is invited to own it.', { name, email }),
  },
  tabs: { label: t('Parts of the tenant'), overview: t('Overview'), members: t('Members'), licenses: t('Licenses') },
  audit: t('Audit log'),
  facts: {
    title: t('At a glance'),
    id: t('ID'),
    slug: t('Slug'),
    members: t('Members'),
    mfa: t('Second factor'),
    mfaPolicy: { OPTIONAL: t('Up to each member'), REQUIRED: t('Required of everybody') },
    created: t('Created'),
    changed: t('Last changed'),
    suspendedSince: t('Suspended'),
  },
  settings: {
    title: t('Name and rules'),
    lead: t(
      'Owners can change the name and the second factor themselves. Only you can change the slug and approve the branding.',
    ),
    name: t('Name'),
    slug: t('Slug'),
    slugHint: t('Links to the tenant change with it. Tokens issued from then on contain the new one.'),
    mfa: t('Every member needs a second factor'),
    mfaHint: t('Members without one are asked to set one up the next time they enter this tenant.'),
    emailCodes: t('Members may sign in with a mailed code'),
    emailCodesHint: t(
      'Where an application names this tenant, the sign-in page offers to mail a code of six digits, which works instead of the password. A second factor is still required.',
    ),
    branding: t('Show the branding before sign-in'),
    brandingHint: t(
      'Anybody may create a tenant and give it any name and logo. Approve the branding once you know who owns the tenant. Members always see it after sign-in.',
    ),
    saved: t('The tenant was changed.'),
  },
  suspension: {
    title: t('Suspension'),
    openText: t('Until you reactivate the tenant, nobody can work in it. Nothing is deleted.'),
    closedText: t('Nobody can work in this tenant now. Reactivating it restores everything.'),
    suspend: t('Suspend tenant'),
    reactivate: t('Reactivate tenant'),
    question: (name: string) => t('Suspend {name}?', { name }),
    consequences: (members: number) =>
      t(
        '{members, plural, one {Its one member is} other {All of its # members are}} immediately shut out: nobody gets tokens for it, existing tokens stop working, and its licenses are not valid. Owners and admins are notified by email. Members, licenses and settings stay as they are until you reactivate it.',
        { members },
      ),
    suspended: (name: string) => t('{name} is suspended.', { name }),
    reactivated: (name: string) => t('{name} is open again.', { name }),
    banner: {
      title: t('This tenant is suspended'),
      text: t('Its members cannot sign in to it or use its licenses.'),
    },
  },
  deletion: {
    title: t('Delete this tenant'),
    text: t(
      'Members, invitations, subscriptions, webhooks and settings are deleted with it. The people keep their accounts.',
    ),
    action: t('Delete tenant'),
    question: (name: string) => t('Delete {name}?', { name }),
    consequences: t(
      'It is deleted immediately and permanently, with its memberships, licenses, webhooks and settings. To close it temporarily, suspend it instead.',
    ),
    done: (name: string) => t('{name} was deleted.', { name }),
  },
  danger: t('Suspend or delete'),
}
