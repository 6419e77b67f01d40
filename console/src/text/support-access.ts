export const supportAccess = {
  act: 'Act as this member',
  dialog: {
    title: (name: string) => `Act as ${name}?`,
    text: (name: string, tenant: string) =>
      `You can do what ${name} may do in ${tenant}, and nothing in their account. ${name} and the owners are told by mail, and the audit log of the tenant shows everything you do under your name.`,
    reason: 'Reason',
    reasonHint: '10 to 500 characters. The mails and the audit log show it.',
    minutes: 'For',
    durations: { 15: '15 minutes', 30: '30 minutes', 60: 'One hour' },
    action: 'Start',
  },
  banner: {
    title: 'Support access',
    text: (operator: string, member: string, tenant: string, until: string) =>
      `${operator} acts as ${member} in ${tenant} until ${until}.`,
    end: 'End support access',
  },
  setting: {
    title: 'Support access',
    lead: 'Whether the people who run this service may act as members of this tenant, for support.',
    allow: 'Allow support access',
    allowText:
      'Each time takes a reason, lasts an hour at most, and is in your audit log. The member and the owners get a mail. Nobody can act as a member outside of this tenant or reach their account. Turning it off ends it at once.',
    allowed: 'Support access is allowed.',
    refused: 'Support access is turned off.',
  },
}
