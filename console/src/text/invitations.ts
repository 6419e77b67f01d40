const people = (count: number) => (count === 1 ? '1 person' : `${count.toLocaleString()} people`)

export const invitations = {
  title: 'Invitations',
  lead: (tenant: string) => `Who was invited into ${tenant}, and how it went.`,
  invite: 'Invite people',
  email: 'Email',
  role: 'Role',
  invitedBy: 'Invited by',
  nobody: 'Somebody whose account is gone',
  expires: 'Expires',
  expired: 'Expired',
  sent: 'Sent',
  actions: 'Actions',
  filter: 'Status',
  status: { PENDING: 'Open', ACCEPTED: 'Accepted', REVOKED: 'Revoked', EXPIRED: 'Expired' },
  resend: 'Send again',
  resendTo: (email: string) => `Send again: ${email}`,
  resent: (email: string) => `A new link is on its way to ${email}. The one before is not good any more.`,
  revoke: {
    action: 'Revoke',
    of: (email: string) => `Revoke: ${email}`,
    title: 'Revoke this invitation?',
    text: (email: string) =>
      `The link that ${email} got will not be good any more, and a seat that was kept for them falls free.`,
    confirm: 'Revoke invitation',
    done: (email: string) => `The invitation of ${email} was revoked.`,
  },
  empty: {
    PENDING: {
      title: 'No open invitations',
      text: 'Invite people by email. Until they accept, they are listed here.',
    },
    ACCEPTED: { title: 'Nobody has accepted an invitation yet', text: '' },
    REVOKED: { title: 'No invitation was revoked', text: '' },
    EXPIRED: { title: 'No invitation has expired', text: '' },
  },
}

export const invite = {
  title: 'Invite people',
  addresses: 'Email addresses',
  addressesHint:
    'As many as you like, with commas, spaces or on lines of their own. “Ada <ada@example.com>” is fine.',
  understood: (count: number) =>
    count === 0 ? 'No address yet.' : count === 1 ? '1 address.' : `${count.toLocaleString()} addresses.`,
  twice: (count: number) => (count === 1 ? '1 stood there twice.' : `${count} stood there twice.`),
  unclear: (count: number) =>
    count === 1 ? 'Not an address, left out:' : `${count} are no addresses, left out:`,
  andMore: (count: number) => `and ${count} more`,
  role: 'Role',
  days: 'Days to accept',
  seat: 'Give them a seat',
  seatHint: 'Kept for them until they accept.',
  noSeat: 'No seat',
  seatOption: (type: string, free: number) => `${type} (${free.toLocaleString()} free)`,
  fewSeats: (free: number) =>
    free === 1
      ? 'Only 1 seat is free. The others cannot be invited with one.'
      : `Only ${free.toLocaleString()} seats are free. The others cannot be invited with one.`,
  send: (count: number) => (count === 0 ? 'Invite' : `Invite ${people(count)}`),
  sending: (done: number, all: number) => `${done.toLocaleString()} of ${all.toLocaleString()} …`,
  progress: 'Invitations sent',
  result: {
    all: (count: number) => `${people(count)} invited.`,
    some: (sent: number, failed: number) => `${people(sent)} invited, ${failed.toLocaleString()} not.`,
    none: 'Nobody was invited.',
    sent: 'Sent',
    failed: 'Not sent',
    list: 'What became of each address',
  },
  again: 'Try those again',
  done: 'Done',
}
