import { t } from './translate.ts'

export const instance = {
  title: t('Overview'),
  lead: (version: string) => t('Latchkey {version} at a glance.', { version }),
  leadWaiting: t('The whole instance at a glance.'),
  figures: {
    label: t('Figures'),
    users: t('Users'),
    usersNote: (disabled: number, leaving: number) =>
      [
        ...(disabled > 0 ? [t('{disabled, number} disabled', { disabled })] : []),
        ...(leaving > 0 ? [t('{leaving, number} to be deleted', { leaving })] : []),
      ].join(' · ') || t('All of them can sign in'),
    tenants: t('Tenants'),
    tenantsNote: (suspended: number) =>
      suspended > 0 ? t('{suspended, number} suspended', { suspended }) : t('None is suspended'),
    applications: t('Applications'),
    applicationsNote: (clients: number) =>
      t('{clients, plural, one {With # client} other {With # clients}}', { clients }),
    sessions: t('Active sessions'),
    sessionsNote: t('On all devices together'),
    seats: t('Seats assigned'),
    seatsNote: (purchased: number) => t('Of {purchased, number} that tenants have bought', { purchased }),
  },
  first: {
    title: t('Create your first application'),
    text: t(
      'An application is the software people sign in to. Four short steps, and you have a client id and code that runs.',
    ),
    action: t('Create your first application'),
  },
  signIns: {
    title: t('Sign-ins'),
    lead: t('In the last 14 days (UTC).'),
    succeeded: t('Succeeded'),
    failed: t('Failed'),
    day: t('Day'),
    summary: (succeeded: number, failed: number) =>
      t('{succeeded, number} sign-ins succeeded and {failed, number} failed in the last 14 days.', {
        succeeded,
        failed,
      }),
    ofDay: (day: string, succeeded: number, failed: number) =>
      t('{day}: {succeeded, number} succeeded, {failed, number} failed', { day, succeeded, failed }),
    most: (count: number) => t('Most in a day: {count, number}', { count }),
    example: (succeeded: number, failed: number) =>
      t(
        'Fewer than two of the last 14 days have sign-ins, too few for a chart: {succeeded, number} succeeded and {failed, number} failed.',
        { succeeded, failed },
      ),
  },
  health: {
    title: t('Health'),
    more: t('See details'),
    good: t('Everything runs as it should.'),
    look: t('Something needs attention.'),
    mailWaiting: t('Emails waiting'),
    jobsWaiting: t('Jobs waiting'),
    webhooksWaiting: t('Events waiting for webhooks'),
    webhooksDisabled: t('Disabled webhooks'),
    auditBehind: t('Audit entries to be sealed'),
    signingKey: t('Signing key'),
    keyAge: (days: number) => t('{days, plural, =0 {Created today} one {# day old} other {# days old}}', { days }),
    noKey: t('No key'),
  },
}
