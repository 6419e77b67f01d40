import { t } from './translate.ts'

export const signingKeys = {
  title: t('Signing keys'),
  lead: t(
    'Every token is signed by a key, so that applications can verify that it is ours. Keys are renewed automatically.',
  ),
  kid: t('Key ID'),
  algorithm: t('Algorithm'),
  state: t('State'),
  created: t('Created'),
  signs: t('Signs from'),
  ends: t('Last token expires'),
  open: t('Still in use'),
  states: {
    upcoming: t('Next'),
    signing: t('Signing now'),
    published: t('Published'),
    retired: t('Retired'),
  },
  hints: {
    upcoming: t('Published already, so that applications know it before it signs.'),
    signing: t('Signs every token that is issued now.'),
    published: t('No longer signs. Tokens it signed are still valid.'),
    retired: t('All tokens it signed have expired.'),
  },
  none: { title: t('There is no key'), text: t('Rotate to create one.') },
  rotation: {
    title: t('Rotate'),
    usual: {
      title: t('Rotate gradually'),
      text: t(
        'For each algorithm in use, a new key is published now and signs in about 15 minutes, once applications have had time to fetch it. Nobody is affected.',
      ),
      action: t('Rotate key'),
      question: t('Rotate the signing key?'),
    },
    atOnce: {
      title: t('Rotate immediately'),
      text: t(
        'For each algorithm in use, a new key signs from now on. An application that caches our keys for some minutes may refuse new tokens until it fetches the keys again. Old tokens stay valid.',
      ),
      action: t('Rotate immediately'),
      question: t('Rotate the signing key immediately?'),
    },
    leaked: {
      title: t('A key has leaked'),
      text: t(
        'Every key is withdrawn and new ones sign immediately. Every token of every user and machine stops working, and everybody must get new ones.',
      ),
      action: t('Withdraw all keys'),
      question: t('Withdraw every key?'),
      warning: t(
        'Do this only if somebody else may hold a private key. Every token on this instance stops working immediately: applications see errors until they renew their tokens or their users sign in again. This cannot be undone.',
      ),
      word: t('withdraw'),
    },
    done: (kid: string) => t('Key {kid} signs from now on.', { kid }),
    next: (kid: string, when: string) => t('Key {kid} signs {when}.', { kid, when }),
  },
}
