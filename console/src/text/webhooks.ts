import type { ReactNode } from 'react'
import { currentLanguage } from '../languages/catalog.ts'
import { rich } from '../ui/rich-text.ts'
import { t } from './translate.ts'

export const webhooks = {
  title: t('Webhooks'),
  lead: {
    tenant: t('Send the events of this tenant to your own systems, as they happen.'),
    instance: t('Send the events of this instance to your own systems, as they happen.'),
  },
  create: t('New webhook'),
  createAction: t('Create webhook'),
  edit: t('Edit'),
  editTitle: t('Edit webhook'),
  created: t('The webhook receives events from now on.'),
  secret: {
    title: t('The signing secret'),
    text: t(
      'Your software uses it to verify that a message is ours (Standard Webhooks). It is shown only once: copy it now and keep it where only your software can read it.',
    ),
    old: (until: string) => t('The previous secret also signs until {until}.', { until }),
    done: t('I have copied it'),
    rotate: t('New secret'),
    rotateTitle: t('Create a new secret?'),
    rotateText: t(
      'The new secret is shown once. The previous secret also signs for a day, so that nothing is lost while you switch.',
    ),
    rotateAction: t('Create a new secret'),
  },
  fields: {
    url: t('Address'),
    urlHint: t('Where events are sent by POST. It must start with https://'),
    description: t('What it is for'),
    descriptionHint: t('Optional, one line.'),
    events: t('Events'),
    all: t('All events, including those of later versions'),
    some: t('Choose some'),
    // A German noun begins with a capital letter inside a sentence too.
    family: (family: string) =>
      t('Everything about {family}', { family: currentLanguage() === 'de' ? family : family.toLowerCase() }),
    chosen: (count: number) => t('{count} chosen', { count }),
    none: t('Choose at least one event.'),
  },
  columns: { address: t('Address'), events: t('Events'), status: t('Status'), actions: t('Actions') },
  allEvents: t('All events'),
  events: (count: number, first: string) =>
    count === 1 ? first : t('{first} and {more, number} more', { first, more: count - 1 }),
  status: {
    on: t('Active'),
    REQUESTED: t('Disabled'),
    GONE: t('Disabled: the address is gone'),
    UNREACHABLE: t('Disabled: unreachable for three days'),
  },
  more: (url: string) => t('More for {url}', { url }),
  deliveries: t('Deliveries'),
  disable: t('Disable'),
  enable: t('Enable'),
  disabled: t('Events are no longer sent to it.'),
  enabled: t('It receives events from now on.'),
  remove: {
    action: t('Delete'),
    title: t('Delete this webhook?'),
    text: (url: string) =>
      t('Events are no longer sent to {url}, including waiting ones. This cannot be undone.', { url }),
    confirm: t('Delete webhook'),
    done: t('The webhook was deleted.'),
  },
  empty: {
    title: t('No webhooks yet'),
    text: t(
      'A webhook sends a signed message to an address of yours whenever something happens: somebody joins, a seat is given, a role changes.',
    ),
  },
}

export const deliveries = {
  title: t('Deliveries'),
  back: t('All webhooks'),
  lead: (url: string) => t('Events sent to {url}, and events that wait', { url }),
  columns: {
    event: t('Event'),
    status: t('Status'),
    attempts: t('Attempts'),
    last: t('Last answer'),
    queued: t('Since'),
    actions: t('Actions'),
  },
  status: { PENDING: t('Waiting'), DELIVERED: t('Delivered'), FAILED: t('Given up') },
  filter: t('Status'),
  any: t('Any status'),
  next: (time: ReactNode) => rich('Next try {time}', { time }),
  soon: t('Next try soon'),
  none: t('Not tried yet'),
  answered: (status: number) => t('Answered {status}', { status }),
  errors: {
    address_refused: t('The address is in a network that we do not send to'),
    connection: t('No connection'),
    timeout: t('No answer in time'),
    tls: t('The certificate is not valid'),
    event_gone: t('The event was deleted'),
    client_disabled: t('The client was disabled'),
    no_address: t('The address was removed'),
  } as Record<string, string>,
  replay: t('Send again'),
  replayOf: (type: string) => t('Send again: {type}', { type }),
  replayed: t('It will be sent again.'),
  replaySince: {
    button: t('Send again since …'),
    title: t('Send events again'),
    text: t(
      'All events since then that match this webhook are sent again, including those it never received. Each keeps its id, so that your software can detect duplicates.',
    ),
    from: t('Since'),
    to: t('Until'),
    toHint: t('If empty: until now.'),
    action: t('Send again'),
    done: (count: number) =>
      t(
        '{count, plural, =0 {Nothing happened in that time.} one {# event is sent again.} other {# events are sent again.}}',
        { count },
      ),
    more: (count: number) =>
      t(
        '{count, plural, one {# event is} other {# events are}} sent again. There may be more: send again from a later moment.',
        { count },
      ),
  },
  older: t('Load older'),
  empty: {
    title: t('Nothing has been sent yet'),
    text: t('Events that match this webhook will be listed here.'),
  },
  nothing: { title: t('Nothing was found'), text: t('There is no delivery with this status.') },
}
