const MODES = {
  PER_SEAT: { label: 'Per seat', text: 'A tenant buys seats and gives each to one of its people.' },
  TENANT_WIDE: {
    label: 'Whole tenant',
    text: 'A tenant with a subscription may use it with all of its people.',
  },
  FREE: { label: 'Free', text: 'Everybody in every tenant may use it. Nothing is sold.' },
}

export const applications = {
  title: 'Applications',
  one: 'Application',
  all: 'All applications',
  lead: 'The software that people sign in to, and the clients through which they do so.',
  create: 'Create application',
  search: 'Search applications',
  name: 'Name',
  slug: 'Slug',
  licensing: 'Licensing',
  ownership: 'Ownership',
  created: 'Created',
  trusted: 'Yours',
  thirdParty: 'Third party',
  none: {
    title: 'No applications yet',
    text: 'Create the first one. You get a client id and code that runs.',
  },
  noMatch: { title: 'No application matches', text: 'Try another word, or clear the search.' },
  modes: MODES,
  tabs: {
    label: 'Parts of the application',
    clients: 'Clients',
    resources: 'Resources',
    licenseTypes: 'License types',
    branding: 'Branding',
    settings: 'Settings',
  },
  id: 'Copy the application id',
  idLabel: 'Application id',
  settings: {
    title: 'Settings',
    nameText: 'What people see, unless branding says otherwise.',
    slugText: 'Identifies it in declarations and on the command line.',
    trusted: 'This is our own application',
    trustedText:
      'On: nobody is asked for consent, and its tokens may manage accounts and tenants for the people who hold them. ' +
      'Off: people are asked first, and it gets only the data that they allow.',
    emailCodes: 'Sign-in with a mailed code',
    emailCodesText:
      'The sign-in page offers to mail a code of six digits, which works instead of the password. A second factor is still required.',
    mode: 'Licensing mode',
    algorithm: 'Signature of tokens',
    algorithmText:
      'Every client and API of the application must accept it. A new algorithm signs 15 minutes after it was chosen, when its key has been published. Tokens issued before stay valid.',
  },
  algorithms: {
    RS256: 'RS256 (RSA)',
    PS256: 'PS256 (RSA with PSS padding)',
    ES256: 'ES256 (P-256)',
    EdDSA: 'EdDSA (Ed25519)',
  },
  lifetimes: {
    title: 'Token lifetimes',
    lead: 'In seconds. If a field is empty, the setting of the instance applies.',
    accessTokenTtl: { label: 'Access token', text: 'Proof for APIs. Short is safer.' },
    idTokenTtl: { label: 'ID token', text: 'Tells the application who signed in.' },
    refreshTokenIdleTtl: {
      label: 'Refresh token, unused',
      text: 'After this time without use, people must sign in again.',
    },
    refreshTokenTtl: {
      label: 'Refresh tokens, in total',
      text: 'After this time, people must sign in again, even if they were active.',
    },
    followed: (seconds: number, words: string) => `${seconds} (${words}, from the instance)`,
    units: {
      day: (count: number) => (count === 1 ? '1 day' : `${count} days`),
      hour: (count: number) => (count === 1 ? '1 hour' : `${count} hours`),
      minute: (count: number) => (count === 1 ? '1 minute' : `${count} minutes`),
      second: (count: number) => (count === 1 ? '1 second' : `${count} seconds`),
    },
  },
  danger: {
    title: 'Delete application',
    lead: 'This cannot be undone.',
    action: 'Delete application',
    question: (name: string) => `Delete ${name}?`,
    goes: 'These are deleted with it, immediately and permanently:',
    clients: (count: number) =>
      count === 1 ? 'its client, with all secrets and tokens' : `its ${count} clients, with all secrets and tokens`,
    licenseTypes: (count: number) => (count === 1 ? 'its license type' : `its ${count} license types`),
    subscriptions: 'every subscription that tenants have to it, and every seat',
    branding: 'its branding and logo',
    nobody: 'People can no longer sign in to it. Their accounts and tenants are not deleted.',
    done: (name: string) => `${name} was deleted.`,
  },
}
