export const signingKeys = {
  title: 'Signing keys',
  lead: 'Every token is signed by a key, so that applications can tell that it is ours. Keys are renewed by themselves.',
  kid: 'Key ID',
  state: 'State',
  created: 'Made',
  signs: 'Signs from',
  ends: 'Last token ends',
  open: 'Still in use',
  states: {
    upcoming: 'Next',
    signing: 'Signing now',
    published: 'Published',
    retired: 'Retired',
  },
  hints: {
    upcoming: 'Published already, so that applications know it when its turn comes.',
    signing: 'Signs every token that is issued now.',
    published: 'Signs nothing any more; tokens it signed are still good.',
    retired: 'Its last token has run out.',
  },
  none: { title: 'There is no key', text: 'Rotate to make one.' },
  rotation: {
    title: 'Rotate',
    usual: {
      title: 'In the usual way',
      text: 'A new key is published now and signs in about 15 minutes, once applications have had time to fetch it. Nobody notices.',
      action: 'Rotate key',
      question: 'Rotate the signing key?',
    },
    atOnce: {
      title: 'At once',
      text: 'A new key signs from this moment on. An application that keeps our keys for some minutes may refuse new tokens until it fetches them again. Old tokens stay good.',
      action: 'Rotate at once',
      question: 'Rotate the signing key at once?',
    },
    leaked: {
      title: 'A key has leaked',
      text: 'Every key is withdrawn and a new one signs at once. Every token of every user and machine stops working, and everybody has to get new ones.',
      action: 'Withdraw all keys',
      question: 'Withdraw every key?',
      warning:
        'Do this only if somebody else may hold a private key. Every token on this instance stops working at this moment: applications see errors until they renew their tokens or their users sign in again. It cannot be taken back.',
      word: 'withdraw',
    },
    done: (kid: string) => `Key ${kid} signs from now on.`,
    next: (kid: string, when: string) => `Key ${kid} signs ${when}.`,
  },
}
