export const instance = {
  title: 'Overview',
  lead: (version: string) => `Latchkey ${version} at a glance.`,
  leadWaiting: 'The whole instance at a glance.',
  figures: {
    label: 'Figures',
    users: 'Users',
    usersNote: (disabled: number, leaving: number) =>
      [
        ...(disabled > 0 ? [`${disabled.toLocaleString()} disabled`] : []),
        ...(leaving > 0 ? [`${leaving.toLocaleString()} to be deleted`] : []),
      ].join(' · ') || 'All of them can sign in',
    tenants: 'Tenants',
    tenantsNote: (suspended: number) =>
      suspended > 0 ? `${suspended.toLocaleString()} suspended` : 'None is suspended',
    applications: 'Applications',
    applicationsNote: (clients: number) =>
      clients === 1 ? 'With 1 client' : `With ${clients.toLocaleString()} clients`,
    sessions: 'Active sessions',
    sessionsNote: 'On all devices together',
    seats: 'Seats assigned',
    seatsNote: (purchased: number) => `Of ${purchased.toLocaleString()} that tenants have bought`,
  },
  first: {
    title: 'Create your first application',
    text: 'An application is the software people sign in to. Four short steps, and you have a client id and code that runs.',
    action: 'Create your first application',
  },
  signIns: {
    title: 'Sign-ins',
    lead: 'In the last 14 days (UTC).',
    succeeded: 'Succeeded',
    failed: 'Failed',
    day: 'Day',
    summary: (succeeded: number, failed: number) =>
      `${succeeded.toLocaleString()} sign-ins succeeded and ${failed.toLocaleString()} failed in the last 14 days.`,
    ofDay: (day: string, succeeded: number, failed: number) =>
      `${day}: ${succeeded.toLocaleString()} succeeded, ${failed.toLocaleString()} failed`,
    most: (count: number) => `Most in a day: ${count.toLocaleString()}`,
    example: (succeeded: number, failed: number) =>
      `Fewer than two of the last 14 days have sign-ins, too few for a chart: ${succeeded.toLocaleString()} succeeded and ${failed.toLocaleString()} failed.`,
  },
  health: {
    title: 'Health',
    more: 'See details',
    good: 'Everything runs as it should.',
    look: 'Something needs attention.',
    mailWaiting: 'Emails waiting',
    jobsWaiting: 'Jobs waiting',
    webhooksWaiting: 'Events waiting for webhooks',
    webhooksDisabled: 'Disabled webhooks',
    auditBehind: 'Audit entries to be sealed',
    signingKey: 'Signing key',
    keyAge: (days: number) =>
      days === 0 ? 'Created today' : days === 1 ? '1 day old' : `${days.toLocaleString()} days old`,
    noKey: 'None',
  },
}
