export const settings = {
  title: 'Settings',
  lead: (tenant: string) => `The name, look and protection of ${tenant}.`,
  general: {
    title: 'General',
    name: 'Name',
    nameHint: 'What people see, up to 120 characters.',
    slug: 'Slug',
    slugHint:
      'Identifies the tenant in links. Saved links contain it, so only an administrator of this instance can change it.',
    id: 'Tenant ID',
  },
  mfa: {
    title: 'Two-factor sign-in',
    lead: 'Whether a password alone is enough to enter this tenant.',
    OPTIONAL: 'Optional',
    OPTIONAL_what: 'Everybody decides for themselves.',
    REQUIRED: 'Required',
    REQUIRED_what:
      'Everybody must use a second factor: an app, a passkey or a recovery code. People who have none must set one up before they can continue.',
    require: {
      title: 'Require a second factor?',
      text: 'Everybody who signed in to this tenant without a second factor is asked for one now, including you. People who have none must set one up before they can continue. Programs are not affected.',
      action: 'Require it',
    },
    relax: {
      title: 'Make it optional?',
      text: 'A password alone will be enough to enter this tenant. Second factors that people have set up stay.',
      action: 'Make it optional',
    },
    saved: 'The two-factor policy was changed.',
  },
  advanced: {
    title: 'Advanced',
    show: 'Settings as JSON',
    lead: 'Settings that your applications store for this tenant, at most 16 KiB. Members cannot change them, but can read them through the API.',
    label: 'Settings',
    notObject: 'This must be a JSON object, such as {"theme": "dark"}.',
    notJson: 'This is not valid JSON.',
  },
  danger: {
    title: 'Danger zone',
    leave: 'You immediately lose access, and your seats become free.',
    remove: 'Delete tenant',
    removeLead:
      'Everything that belongs to it is deleted: memberships, invitations, seats, subscriptions and webhooks.',
    removeTitle: (tenant: string) => `Delete ${tenant}?`,
    removeText: (members: number) =>
      `${members === 1 ? 'Its only member immediately loses' : `All ${members.toLocaleString()} members immediately lose`} access. Memberships, invitations, seats, subscriptions and webhooks are deleted. This cannot be undone.`,
  },
}

export const newTenant = {
  title: 'New tenant',
  lead: 'A tenant is a company, a team or a customer: its own members, seats and settings. You become its owner.',
  name: 'Name',
  nameHint: 'Such as the name of the company.',
  slug: 'Slug',
  slugHint: 'Used in links. Lowercase letters, digits and hyphens.',
  create: 'Create tenant',
  created: (name: string) => `${name} was created. Invite the first people.`,
}
