export const signingKeys = {
  title: 'Signing keys',
  lead: 'Every token is signed by a key, so that applications can verify that it is ours. Keys are renewed automatically.',
  kid: 'Key ID',
  state: 'State',
  created: 'Created',
  signs: 'Signs from',
  ends: 'Last token expires',
  open: 'Still in use',
  states: {
    upcoming: 'Next',
    signing: 'Signing now',
    published: 'Published',
    retired: 'Retired',
  },
  hints: {
    upcoming: 'Published already, so that applications know it before it signs.',
    signing: 'Signs every token that is issued now.',
    published: 'No longer signs. Tokens it signed are still valid.',
    retired: 'All tokens it signed have expired.',
  },
  none: { title: 'There is no key', text: 'Rotate to create one.' },
  rotation: {
    title: 'Rotate',
    usual: {
      title: 'Rotate gradually',
      text: 'A new key is published now and signs in about 15 minutes, once applications have had time to fetch it. Nobody is affected.',
      action: 'Rotate key',
      question: 'Rotate the signing key?',
    },
    atOnce: {
      title: 'Rotate immediately',
      text: 'A new key signs from now on. An application that caches our keys for some minutes may refuse new tokens until it fetches the keys again. Old tokens stay valid.',
      action: 'Rotate immediately',
      question: 'Rotate the signing key immediately?',
    },
    leaked: {
      title: 'A key has leaked',
      text: 'Every key is withdrawn and a new one signs immediately. Every token of every user and machine stops working, and everybody must get new ones.',
      action: 'Withdraw all keys',
      question: 'Withdraw every key?',
      warning:
        'Do this only if somebody else may hold a private key. Every token on this instance stops working immediately: applications see errors until they renew their tokens or their users sign in again. This cannot be undone.',
      word: 'withdraw',
    },
    done: (kid: string) => `Key ${kid} signs from now on.`,
    next: (kid: string, when: string) => `Key ${kid} signs ${when}.`,
  },
}
