import type { ReactNode } from 'react'
import { rich } from '../ui/rich-text.ts'
import { t } from './translate.ts'

export const registrationTokens = {
  title: t('Registration tokens'),
  lead: t(
    'A developer who has such a token can register a client without you. Its users are always asked for consent.',
  ),
  policies: {
    off: t('Clients cannot register themselves: the setting CLIENT_REGISTRATION of this instance is off.'),
    token: t('Clients need a token to register themselves.'),
    open: t(
      'Clients can also register themselves without a token: the setting CLIENT_REGISTRATION of this instance is open.',
    ),
  },
  add: t('Create token'),
  createTitle: t('Create a registration token'),
  name: t('Name'),
  nameText: t('What it is for, or for whom.'),
  uses: t('Clients'),
  usesText: t('How many clients may register with it.'),
  days: t('Days'),
  daysText: t('Until it expires.'),
  hosts: t('Hosts of redirect URIs'),
  hostsText: t('Such as app.example.com. Leave it empty to allow any host. Type one and press Enter.'),
  anyHost: t('Any host'),
  used: (uses: number, most: number) => t('{uses} of {most, plural, one {# client} other {# clients}}', { uses, most }),
  expires: (time: ReactNode) => rich('Expires {time}', { time }),
  newTitle: t('The new token'),
  label: t('Registration token'),
  copy: t('Copy token'),
  done: t('Done'),
  revoke: t('Revoke'),
  revokeOf: (name: string) => t('Revoke {name}', { name }),
  revokeQuestion: (name: string) => t('Revoke {name}?', { name }),
  revokeText: t('Nobody can register with it any more. The clients that did stay.'),
  revokeAction: t('Revoke token'),
  wasRevoked: (name: string) => t('{name} was revoked.', { name }),
  none: t('There are no registration tokens.'),
}
