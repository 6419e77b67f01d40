const things = (count: number, one: string, many: string) =>
  count === 1 ? one : `${count.toLocaleString()} ${many}`

export const health = {
  title: 'Health',
  lead: 'Whether everything runs, what waits, and what to do about it.',
  version: (version: string) => `Latchkey ${version}`,
  checked: (time: string) => `Checked at ${time}, and again every 10 seconds`,
  unreachable: 'The last check failed. What you see below may be out of date.',
  levels: { good: 'Fine', waiting: 'Working', look: 'Needs a look' },
  summary: {
    good: { title: 'Everything is fine', text: 'Nothing needs your attention.' },
    waiting: { title: 'Everything runs', text: 'Some work is under way, as it should be.' },
    look: { title: 'Something needs a look', text: 'See below what it is, and what to do.' },
  },
  list: 'Checks',
  ready: {
    name: 'Service',
    good: 'Takes requests.',
    look: 'Does not take requests at the moment.',
    todo: 'If it is not being restarted right now, look at the log of the service and of the database.',
  },
  database: {
    name: 'Database',
    good: 'Answers.',
    look: 'Does not answer.',
    todo: 'Check that PostgreSQL runs and that DATABASE_URL is right.',
  },
  mail: {
    name: 'Mail',
    good: 'All mail has been handed over.',
    waiting: (count: number) => `${things(count, '1 message waits', 'messages wait')} to be sent.`,
    todo: 'Mail is piling up. Check the SMTP settings and whether the mail server takes our mail; the log says why it was refused. Nothing is lost: it is tried again by itself.',
  },
  jobs: {
    name: 'Background work',
    good: 'All done.',
    waiting: (count: number) => `${things(count, '1 job is', 'jobs are')} in the queue.`,
    todo: 'Work is piling up. Check that a worker runs, and whether it logs errors.',
  },
  webhooks: {
    name: 'Webhook deliveries',
    good: 'Every event has reached its webhook.',
    waiting: (count: number) => `${things(count, '1 event has', 'events have')} not reached the webhook yet.`,
    todo: 'Deliveries are piling up. A receiver is slow or away; see its deliveries. They are tried again for days.',
  },
  disabled: {
    name: 'Disabled webhooks',
    good: 'None.',
    look: (count: number) => `${things(count, '1 webhook gets', 'webhooks get')} nothing.`,
    todo: 'A webhook is disabled by hand, or by itself when its receiver is gone. Yours are under Webhooks; tenants look after their own.',
    link: 'Go to Webhooks',
  },
  audit: {
    name: 'Audit log',
    good: 'Every entry is sealed.',
    waiting: (count: number) => `${things(count, '1 entry is', 'entries are')} not sealed yet.`,
    todo: 'Sealing falls behind. It is done by background work: check that a worker runs.',
  },
  key: {
    name: 'Signing key',
    good: (days: number) =>
      days === 0
        ? 'The key in use was made today.'
        : `The key in use is ${things(days, '1 day', 'days')} old.`,
    none: 'There is no key that signs tokens.',
    todo: 'A key is replaced after 90 days, unless KEY_ROTATION_DAYS says otherwise. Check that background work runs, or rotate it yourself.',
    link: 'Go to Signing keys',
  },
}
