import { t } from './translate.ts'

export const invitations = {
  title: t('Invitations'),
  lead: (tenant: string) => t('Who was invited to {tenant}, and whether they accepted.', { tenant }),
  invite: t('Invite people'),
  email: t('Email'),
  role: t('Role'),
  invitedBy: t('Invited by'),
  deletedUser: t('A deleted user'),
  expires: t('Expires'),
  expired: t('Expired'),
  sent: t('Sent'),
  actions: t('Actions'),
  filter: t('Status'),
  status: { PENDING: t('Open'), ACCEPTED: t('Accepted'), REVOKED: t('Revoked'), EXPIRED: t('Expired') },
  resend: t('Send again'),
  resendTo: (email: string) => t('Send again: {email}', { email }),
  resent: (email: string) => t('A new link is on its way to {email}. The previous link no longer works.', { email }),
  revoke: {
    action: t('Revoke'),
    of: (email: string) => t('Revoke: {email}', { email }),
    title: t('Revoke this invitation?'),
    text: (email: string) =>
      t('The link that was sent to {email} will no longer work, and a seat that was reserved for them becomes free.', {
        email,
      }),
    confirm: t('Revoke invitation'),
    done: (email: string) => t('The invitation for {email} was revoked.', { email }),
  },
  empty: {
    PENDING: {
      title: t('No open invitations'),
      text: t('Invite people by email. Until they accept, they are listed here.'),
    },
    ACCEPTED: { title: t('Nobody has accepted an invitation yet') },
    REVOKED: { title: t('No invitation was revoked') },
    EXPIRED: { title: t('No invitation has expired') },
  },
}

export const invite = {
  title: t('Invite people'),
  addresses: t('Email addresses'),
  addressesHint: t('Any number, separated by commas, spaces or line breaks. “{example}” also works.', {
    example: 'Ada <ada@example.com>',
  }),
  understood: (count: number) =>
    t('{count, plural, =0 {No address yet.} one {# address.} other {# addresses.}}', { count }),
  twice: (count: number) =>
    t('{count, plural, one {# duplicate was left out.} other {# duplicates were left out.}}', { count }),
  invalid: (count: number, list: string, rest: number) =>
    t(
      '{count, plural, one {Not an address, left out:} other {# are not addresses, left out:}} {list}{rest, plural, =0 {} other { and # more}}',
      { count, list, rest },
    ),
  role: t('Role'),
  days: t('Days to accept'),
  seat: t('Give them a seat'),
  seatHint: t('Reserved for them, and theirs when they accept.'),
  noSeat: t('No seat'),
  seatOption: (type: string, free: number) => t('{type} ({free, number} free)', { type, free }),
  fewSeats: (free: number) =>
    t(
      '{free, plural, one {Only # seat is free.} other {Only # seats are free.}} The remaining invitations will fail.',
      { free },
    ),
  send: (count: number) => t('{count, plural, =0 {Invite} one {Invite # person} other {Invite # people}}', { count }),
  sending: (done: number, all: number) => t('{done, number} of {all, number} …', { done, all }),
  progress: t('Invitations sent'),
  result: {
    all: (count: number) => t('{count, plural, one {# person invited.} other {# people invited.}}', { count }),
    some: (sent: number, failed: number) =>
      t('{sent, plural, one {# person} other {# people}} invited, {failed, number} not.', { sent, failed }),
    none: t('Nobody was invited.'),
    sent: t('Sent'),
    failed: t('Not sent'),
    list: t('Result for each address'),
  },
  again: t('Try those again'),
  done: t('Done'),
}
