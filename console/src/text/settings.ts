export const settings = {
  title: 'Settings',
  lead: (tenant: string) => `How ${tenant} is called, looks and is protected.`,
  general: {
    title: 'General',
    name: 'Name',
    nameHint: 'What people see, up to 120 characters.',
    slug: 'Slug',
    slugHint:
      'Names the tenant in addresses. Links that people have kept contain it, so only whoever runs this instance can change it.',
    id: 'Tenant ID',
  },
  mfa: {
    title: 'Two-factor sign-in',
    lead: 'Whether a password alone is enough to enter this tenant.',
    OPTIONAL: 'Optional',
    OPTIONAL_what: 'Everybody decides for themselves.',
    REQUIRED: 'Required',
    REQUIRED_what:
      'Everybody shows a second factor: an app, a passkey or a recovery code. Who has none sets one up at their next sign-in.',
    require: {
      title: 'Require a second factor?',
      text: 'Everybody who signed in to this tenant without a second factor is asked for one now, you too. Who has none sets one up before they come in. Programs are not affected.',
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
    lead: 'Whatever your applications keep about this tenant, at most 16 KiB. People do not see it.',
    label: 'Settings',
    notObject: 'This must be a JSON object, such as {"theme": "dark"}.',
    notJson: 'This is not valid JSON.',
  },
  danger: {
    title: 'Danger zone',
    leaveTitle: 'Leave',
    leave: 'You lose access at once, and your seats fall free.',
    remove: 'Delete tenant',
    removeLead:
      'Everything that belongs to it is deleted: memberships, invitations, seats, subscriptions and webhooks.',
    removeTitle: (tenant: string) => `Delete ${tenant}?`,
    removeText: (members: number) =>
      `${members === 1 ? 'Its only member loses' : `All ${members.toLocaleString()} members lose`} access at once. Memberships, invitations, seats, subscriptions and webhooks are deleted. This cannot be taken back.`,
  },
}

export const newTenant = {
  title: 'New tenant',
  lead: 'A tenant is a company, a team or a customer: its own members, seats and settings. You become its owner.',
  name: 'Name',
  nameHint: 'Such as the name of the company.',
  slug: 'Slug',
  slugHint: 'Stands in addresses. Small letters, digits and hyphens.',
  create: 'Create tenant',
  created: (name: string) => `${name} was created. Invite the first people.`,
}
