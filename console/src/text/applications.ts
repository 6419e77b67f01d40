import { t } from './translate.ts'

const MODES = {
  PER_SEAT: { label: t('Per seat'), text: t('A tenant buys seats and gives each to one of its people.') },
  TENANT_WIDE: {
    label: t('Whole tenant'),
    text: t('A tenant with a subscription may use it with all of its people.'),
  },
  FREE: { label: t('Free'), text: t('Everybody in every tenant may use it. Nothing is sold.') },
}

export const applications = {
  title: t('Applications'),
  one: t('Application'),
  all: t('All applications'),
  lead: t('The software that people sign in to, and the clients through which they do so.'),
  create: t('Create application'),
  search: t('Search applications'),
  name: t('Name'),
  slug: t('Slug'),
  licensing: t('Licensing'),
  ownership: t('Ownership'),
  created: t('Created'),
  trusted: t('Yours'),
  thirdParty: t('Third party'),
  none: {
    title: t('No applications yet'),
    text: t('Create the first one. You get a client id and code that runs.'),
  },
  noMatch: { title: t('No application matches'), text: t('Try another word, or clear the search.') },
  modes: MODES,
  tabs: {
    label: t('Parts of the application'),
    clients: t('Clients'),
    resources: t('Resources'),
    licenseTypes: t('License types'),
    branding: t('Branding'),
    settings: t('Settings'),
  },
  id: t('Copy the application id'),
  idLabel: t('Application id'),
  settings: {
    title: t('Settings'),
    nameText: t('What people see, unless branding says otherwise.'),
    slugText: t('Identifies it in declarations and on the command line.'),
    trusted: t('This is our own application'),
    trustedText: t(
      'On: nobody is asked for consent, and its tokens may manage accounts and tenants for the people who hold them. Off: people are asked first, and it gets only the data that they allow.',
    ),
    emailCodes: t('Sign-in with a mailed code'),
    emailCodesText: t(
      'The sign-in page offers to mail a code of six digits, which works instead of the password. A second factor is still required.',
    ),
    mode: t('Licensing mode'),
    algorithm: t('Signature of tokens'),
    algorithmText: t(
      'Every client and API of the application must accept it. A new algorithm signs 15 minutes after it was chosen, when its key has been published. Tokens issued before stay valid.',
    ),
  },
  algorithms: {
    RS256: 'RS256 (RSA)',
    PS256: t('PS256 (RSA with PSS padding)'),
    ES256: 'ES256 (P-256)',
    EdDSA: 'EdDSA (Ed25519)',
  },
  lifetimes: {
    title: t('Token lifetimes'),
    lead: t('In seconds. If a field is empty, the setting of the instance applies.'),
    accessTokenTtl: { label: t('Access token'), text: t('Proof for APIs. Short is safer.') },
    idTokenTtl: { label: t('ID token'), text: t('Tells the application who signed in.') },
    refreshTokenIdleTtl: {
      label: t('Refresh token, unused'),
      text: t('After this time without use, people must sign in again.'),
    },
    refreshTokenTtl: {
      label: t('Refresh tokens, in total'),
      text: t('After this time, people must sign in again, even if they were active.'),
    },
    followed: (seconds: number, words: string) => t('{seconds} ({words}, from the instance)', { seconds, words }),
    units: {
      day: (count: number) => t('{count, plural, one {# day} other {# days}}', { count }),
      hour: (count: number) => t('{count, plural, one {# hour} other {# hours}}', { count }),
      minute: (count: number) => t('{count, plural, one {# minute} other {# minutes}}', { count }),
      second: (count: number) => t('{count, plural, one {# second} other {# seconds}}', { count }),
    },
  },
  danger: {
    title: t('Delete application'),
    lead: t('This cannot be undone.'),
    action: t('Delete application'),
    question: (name: string) => t('Delete {name}?', { name }),
    goes: t('These are deleted with it, immediately and permanently:'),
    clients: (count: number) =>
      t(
        '{count, plural, one {its client, with all secrets and tokens} other {its # clients, with all secrets and tokens}}',
        { count },
      ),
    licenseTypes: (count: number) =>
      t('{count, plural, one {its license type} other {its # license types}}', { count }),
    subscriptions: t('every subscription that tenants have to it, and every seat'),
    branding: t('its branding and logo'),
    nobody: t('People can no longer sign in to it. Their accounts and tenants are not deleted.'),
    done: (name: string) => t('{name} was deleted.', { name }),
  },
}
