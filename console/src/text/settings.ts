import { t } from './translate.ts'

export const settings = {
  title: t('Settings'),
  lead: (tenant: string) => t('The name, look and protection of {tenant}.', { tenant }),
  general: {
    title: t('General'),
    name: t('Name'),
    nameHint: t('What people see, up to 120 characters.'),
    slug: t('Slug'),
    slugHint: t(
      'Identifies the tenant in links. Saved links contain it, so only an administrator of this instance can change it.',
    ),
    id: t('Tenant ID'),
  },
  mfa: {
    title: t('Two-factor sign-in'),
    lead: t('Whether a password alone is enough to enter this tenant.'),
    OPTIONAL: t('Optional'),
    OPTIONAL_what: t('Everybody decides for themselves.'),
    REQUIRED: t('Required'),
    REQUIRED_what: t(
      'Everybody must use a second factor: an app, a passkey or a recovery code. People who have none must set one up before they can continue.',
    ),
    require: {
      title: t('Require a second factor?'),
      text: t(
        'Everybody who signed in to this tenant without a second factor is asked for one now, including you. People who have none must set one up before they can continue. Programs are not affected.',
      ),
      action: t('Require it'),
    },
    relax: {
      title: t('Make it optional?'),
      text: t('A password alone will be enough to enter this tenant. Second factors that people have set up stay.'),
      action: t('Make it optional'),
    },
    saved: t('The two-factor policy was changed.'),
  },
  advanced: {
    title: t('Advanced'),
    show: t('Settings as JSON'),
    lead: t(
      'Settings that your applications store for this tenant, at most 16 KiB. Members cannot change them, but can read them through the API.',
    ),
    label: t('Settings'),
    notObject: t('This must be a JSON object, such as {example}.', { example: '{"theme": "dark"}' }),
    notJson: t('This is not valid JSON.'),
  },
  danger: {
    title: t('Danger zone'),
    leave: t('You immediately lose access, and your seats become free.'),
    remove: t('Delete tenant'),
    removeLead: t(
      'Everything that belongs to it is deleted: memberships, invitations, seats, subscriptions and webhooks.',
    ),
    removeTitle: (tenant: string) => t('Delete {tenant}?', { tenant }),
    removeText: (members: number) =>
      t(
        '{members, plural, =1 {Its only member immediately loses access.} one {Its # member immediately loses access.} other {All # members immediately lose access.}} Memberships, invitations, seats, subscriptions and webhooks are deleted. This cannot be undone.',
        { members },
      ),
  },
}

export const newTenant = {
  title: t('New tenant'),
  lead: t('A tenant is a company, a team or a customer: its own members, seats and settings. You become its owner.'),
  name: t('Name'),
  nameHint: t('Such as the name of the company.'),
  slug: t('Slug'),
  slugHint: t('Used in links. Lowercase letters, digits and hyphens.'),
  create: t('Create tenant'),
  created: (name: string) => t('{name} was created. Invite the first people.', { name }),
}
