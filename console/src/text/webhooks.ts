export const webhooks = {
  title: 'Webhooks',
  lead: {
    tenant: 'Tell your own systems what happens in this tenant, as it happens.',
    instance: 'Tell your own systems what happens on this instance, as it happens.',
  },
  create: 'New webhook',
  createAction: 'Create webhook',
  edit: 'Edit',
  editTitle: 'Edit webhook',
  created: 'The webhook gets what happens from now on.',
  secret: {
    title: 'The signing secret',
    text: 'Your software checks with it that a message is ours (Standard Webhooks). It is shown this once: copy it now and keep it where only your software can read it.',
    old: (until: string) => `The secret before signs as well until ${until}.`,
    done: 'I have copied it',
    rotate: 'New secret',
    rotateTitle: 'Give it a new secret?',
    rotateText:
      'The new secret is shown once. The one before signs as well for a day, so that nothing is lost while you change over.',
    rotateAction: 'Make a new secret',
  },
  fields: {
    url: 'Address',
    urlHint: 'Where events are sent by POST. It must begin with https://',
    description: 'What it is for',
    descriptionHint: 'Optional, one line.',
    events: 'Events',
    all: 'All events, also those of later versions',
    some: 'Choose some',
    family: (family: string) => `Everything about ${family.toLowerCase()}`,
    chosen: (count: number) => (count === 1 ? '1 chosen' : `${count} chosen`),
    none: 'Choose at least one event.',
  },
  columns: { address: 'Address', events: 'Events', status: 'Status', actions: 'Actions' },
  allEvents: 'All events',
  events: (count: number, first: string) => (count === 1 ? first : `${first} and ${count - 1} more`),
  status: {
    on: 'Active',
    REQUESTED: 'Disabled',
    GONE: 'Disabled: the address is gone',
    UNREACHABLE: 'Disabled: unreachable for three days',
  },
  more: (url: string) => `More for ${url}`,
  deliveries: 'Deliveries',
  disable: 'Disable',
  enable: 'Enable',
  disabled: 'Nothing is sent to it any more.',
  enabled: 'It gets what happens from now on.',
  remove: {
    action: 'Delete',
    title: 'Delete this webhook?',
    text: (url: string) =>
      `Nothing is sent to ${url} any more, also not what waits now. This cannot be taken back.`,
    confirm: 'Delete webhook',
    done: 'The webhook was deleted.',
  },
  empty: {
    title: 'No webhooks yet',
    text: 'A webhook sends a signed message to an address of yours whenever something happens: somebody joins, a seat is given, a role changes.',
  },
}

export const deliveries = {
  title: 'Deliveries',
  back: 'All webhooks',
  lead: (url: string) => `What was and is to be sent to ${url}`,
  columns: {
    event: 'Event',
    status: 'Status',
    attempts: 'Attempts',
    last: 'Last answer',
    queued: 'Since',
    actions: 'Actions',
  },
  status: { PENDING: 'Waiting', DELIVERED: 'Delivered', FAILED: 'Given up' },
  filter: 'Status',
  any: 'Any status',
  next: 'Next try',
  soon: 'as soon as it is its turn',
  none: 'Not tried yet',
  answered: (status: number) => `Answered ${status}`,
  errors: {
    address_refused: 'The address leads into a network we do not send to',
    connection: 'No connection',
    timeout: 'No answer in time',
    tls: 'The certificate is not good',
    event_gone: 'The event is not kept any more',
  } as Record<string, string>,
  replay: 'Send again',
  replayOf: (type: string) => `Send again: ${type}`,
  replayed: 'It will be sent once more.',
  replaySince: {
    button: 'Send again since …',
    title: 'Send events again',
    text: 'Everything that happened since then and that this webhook is for is sent once more, also what it never got. Each keeps its id, so that your software can tell it has seen it.',
    from: 'Since',
    to: 'Until',
    toHint: 'Left empty: until now.',
    action: 'Send again',
    done: (count: number) =>
      count === 0
        ? 'Nothing happened in that time.'
        : count === 1
          ? '1 event is sent once more.'
          : `${count.toLocaleString()} events are sent once more.`,
    more: (count: number) =>
      `${count.toLocaleString()} events are sent once more. There may be more: send again from a later moment.`,
  },
  older: 'Load older',
  empty: {
    title: 'Nothing was sent yet',
    text: 'As soon as something happens that this webhook is for, it shows here.',
  },
  nothing: { title: 'Nothing was found', text: 'There is no delivery with this status.' },
}
