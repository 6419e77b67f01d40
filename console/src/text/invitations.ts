import { pluralize } from './pluralize.ts'

const people = (count: number): string => pluralize(count, 'person', 'people')

export const invitations = {
  title: 'Invitations',
  lead: (tenant: string) => `Who was invited to ${tenant}, and whether they accepted.`,
  invite: 'Invite people',
  email: 'Email',
  role: 'Role',
  invitedBy: 'Invited by',
  deletedUser: 'A deleted user',
  expires: 'Expires',
  expired: 'Expired',
  sent: 'Sent',
  actions: 'Actions',
  filter: 'Status',
  status: { PENDING: 'Open', ACCEPTED: 'Accepted', REVOKED: 'Revoked', EXPIRED: 'Expired' },
  resend: 'Send again',
  resendTo: (email: string) => `Send again: ${email}`,
  resent: (email: string) => `A new link is on its way to ${email}. The previous link no longer works.`,
  revoke: {
    action: 'Revoke',
    of: (email: string) => `Revoke: ${email}`,
    title: 'Revoke this invitation?',
    text: (email: string) =>
      `The link that was sent to ${email} will no longer work, and a seat that was reserved for them becomes free.`,
    confirm: 'Revoke invitation',
    done: (email: string) => `The invitation for ${email} was revoked.`,
  },
  empty: {
    PENDING: {
      title: 'No open invitations',
      text: 'Invite people by email. Until they accept, they are listed here.',
    },
    ACCEPTED: { title: 'Nobody has accepted an invitation yet' },
    REVOKED: { title: 'No invitation was revoked' },
    EXPIRED: { title: 'No invitation has expired' },
  },
}

export const invite = {
  title: 'Invite people',
  addresses: 'Email addresses',
  addressesHint: 'Any number, separated by commas, spaces or line breaks. “Ada <ada@example.com>” also works.',
  understood: (count: number) => (count === 0 ? 'No address yet.' : `${pluralize(count, 'address', 'addresses')}.`),
  twice: (count: number) => (count === 1 ? '1 duplicate was left out.' : `${count} duplicates were left out.`),
  invalid: (count: number) => (count === 1 ? 'Not an address, left out:' : `${count} are not addresses, left out:`),
  andMore: (count: number) => `and ${count} more`,
  role: 'Role',
  days: 'Days to accept',
  seat: 'Give them a seat',
  seatHint: 'Reserved for them, and theirs when they accept.',
  noSeat: 'No seat',
  seatOption: (type: string, free: number) => `${type} (${free.toLocaleString()} free)`,
  fewSeats: (free: number) =>
    free === 1
      ? 'Only 1 seat is free. The remaining invitations will fail.'
      : `Only ${free.toLocaleString()} seats are free. The remaining invitations will fail.`,
  send: (count: number) => (count === 0 ? 'Invite' : `Invite ${people(count)}`),
  sending: (done: number, all: number) => `${done.toLocaleString()} of ${all.toLocaleString()} …`,
  progress: 'Invitations sent',
  result: {
    all: (count: number) => `${people(count)} invited.`,
    some: (sent: number, failed: number) => `${people(sent)} invited, ${failed.toLocaleString()} not.`,
    none: 'Nobody was invited.',
    sent: 'Sent',
    failed: 'Not sent',
    list: 'Result for each address',
  },
  again: 'Try those again',
  done: 'Done',
}
