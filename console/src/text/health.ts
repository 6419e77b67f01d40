import { pluralize } from './pluralize.ts'

export const health = {
  title: 'Health',
  lead: 'What runs, what waits, and what to do about problems.',
  version: (version: string) => `Latchkey ${version}`,
  checked: (time: string) => `Checked at ${time}, and again every 10 seconds`,
  unreachable: 'The last check failed. What you see below may be out of date.',
  levels: { good: 'Fine', waiting: 'Working', look: 'Needs attention' },
  summary: {
    good: { title: 'Everything is fine', text: 'Nothing needs your attention.' },
    waiting: { title: 'Everything runs', text: 'Some work is in progress, which is normal.' },
    look: { title: 'Something needs attention', text: 'The checks below say what it is, and what to do.' },
  },
  list: 'Checks',
  ready: {
    name: 'Service',
    good: 'Accepts requests.',
    look: 'Does not accept requests at the moment.',
    todo: 'If it is not being restarted, check the logs of the service and of the database.',
  },
  database: {
    name: 'Database',
    good: 'Responds.',
    look: 'Does not respond.',
    todo: 'Check that PostgreSQL runs and that DATABASE_URL is correct.',
  },
  mail: {
    name: 'Email',
    good: 'All messages have been sent.',
    waiting: (count: number) => `${pluralize(count, 'message waits', 'messages wait')} to be sent.`,
    todo: 'Messages are piling up. Check the SMTP settings, and whether the mail server accepts the messages; the log says why it refused them. Nothing is lost: sending is retried automatically.',
  },
  jobs: {
    name: 'Background work',
    good: 'All done.',
    waiting: (count: number) => `${pluralize(count, 'job is', 'jobs are')} in the queue.`,
    todo: 'Work is piling up. Check that a worker runs, and whether it logs errors.',
  },
  webhooks: {
    name: 'Webhook deliveries',
    good: 'All events have been delivered.',
    waiting: (count: number) => `${pluralize(count, 'event has', 'events have')} not been delivered yet.`,
    todo: 'Deliveries are piling up. A receiver is slow or unreachable; see its deliveries. They are retried for days.',
  },
  disabled: {
    name: 'Disabled webhooks',
    good: 'None.',
    look: (count: number) => `${pluralize(count, 'webhook receives', 'webhooks receive')} nothing.`,
    todo: 'A webhook is disabled manually, or automatically when its receiver is gone. Yours are under Webhooks; tenants manage their own.',
    link: 'Go to Webhooks',
  },
  audit: {
    name: 'Audit log',
    good: 'Every entry is sealed.',
    waiting: (count: number) => `${pluralize(count, 'entry is', 'entries are')} not sealed yet.`,
    todo: 'Sealing is behind. It is background work: check that a worker runs.',
  },
  key: {
    name: 'Signing key',
    good: (days: number) =>
      days === 0 ? 'The key in use was created today.' : `The key in use is ${pluralize(days, 'day', 'days')} old.`,
    none: 'There is no key that signs tokens.',
    todo: 'A key is replaced after 90 days, or after KEY_ROTATION_DAYS if set. Check that background work runs, or rotate it yourself.',
    link: 'Go to Signing keys',
  },
}
