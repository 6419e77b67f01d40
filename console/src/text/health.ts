import { t } from './translate.ts'

export const health = {
  title: t('Health'),
  lead: t('What runs, what waits, and what to do about problems.'),
  version: (version: string) => `Latchkey ${version}`,
  checked: (time: string) => t('Checked at {time}, and again every 10 seconds', { time }),
  unreachable: t('The last check failed. What you see below may be out of date.'),
  levels: { good: t('Fine'), waiting: t('Working'), look: t('Needs attention') },
  summary: {
    good: { title: t('Everything is fine'), text: t('Nothing needs your attention.') },
    waiting: { title: t('Everything runs'), text: t('Some work is in progress, which is normal.') },
    look: { title: t('Something needs attention'), text: t('The checks below say what it is, and what to do.') },
  },
  list: t('Checks'),
  ready: {
    name: t('Service'),
    good: t('Accepts requests.'),
    look: t('Does not accept requests at the moment.'),
    todo: t('If it is not being restarted, check the logs of the service and of the database.'),
  },
  database: {
    name: t('Database'),
    good: t('Responds.'),
    look: t('Does not respond.'),
    todo: t('Check that PostgreSQL runs and that DATABASE_URL is correct.'),
  },
  mail: {
    name: t('Email'),
    good: t('All messages have been sent.'),
    waiting: (count: number) =>
      t('{count, plural, one {# message waits to be sent.} other {# messages wait to be sent.}}', { count }),
    todo: t(
      'Messages are piling up. Check the SMTP settings, and whether the mail server accepts the messages; the log says why it refused them. Nothing is lost: sending is retried automatically.',
    ),
  },
  jobs: {
    name: t('Background work'),
    good: t('All done.'),
    waiting: (count: number) =>
      t('{count, plural, one {# job is in the queue.} other {# jobs are in the queue.}}', { count }),
    todo: t('Work is piling up. Check that a worker runs, and whether it logs errors.'),
  },
  webhooks: {
    name: t('Webhook deliveries'),
    good: t('All events have been delivered.'),
    waiting: (count: number) =>
      t('{count, plural, one {# event has not been delivered yet.} other {# events have not been delivered yet.}}', {
        count,
      }),
    todo: t(
      'Deliveries are piling up. A receiver is slow or unreachable; see its deliveries. They are retried for days.',
    ),
  },
  disabled: {
    name: t('Disabled webhooks'),
    good: t('None.'),
    look: (count: number) =>
      t('{count, plural, one {# webhook receives nothing.} other {# webhooks receive nothing.}}', { count }),
    todo: t(
      'A webhook is disabled manually, or automatically when its receiver is gone. Yours are under Webhooks; tenants manage their own.',
    ),
    link: t('Go to Webhooks'),
  },
  audit: {
    name: t('Audit log'),
    good: t('Every entry is sealed.'),
    waiting: (count: number) =>
      t('{count, plural, one {# entry is not sealed yet.} other {# entries are not sealed yet.}}', { count }),
    todo: t('Sealing is behind. It is background work: check that a worker runs.'),
  },
  key: {
    name: t('Signing key'),
    good: (days: number) =>
      t(
        '{days, plural, =0 {The key in use was created today.} one {The key in use is # day old.} other {The key in use is # days old.}}',
        { days },
      ),
    none: t('There is no key that signs tokens.'),
    todo: t(
      'A key is replaced after 90 days, or after KEY_ROTATION_DAYS if set. Check that background work runs, or rotate it yourself.',
    ),
    link: t('Go to Signing keys'),
  },
}
