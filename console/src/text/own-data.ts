import { t } from './translate.ts'

/** Texts of the data export and account deletion. */
export const ownData = {
  title: t('Data & deletion'),
  lead: t('See who may read your data, download it, or delete your account.'),
  export: {
    title: t('Your data'),
    lead: t(
      'Everything that is stored about you, in one JSON file: profile, tenants, sessions, licenses, consents and what happened in your account.',
    ),
    action: t('Download my data'),
    done: t('Your data was downloaded.'),
    file: 'latchkey-personal-data.json',
  },
  deletion: {
    title: t('Delete your account'),
    lead: t(
      'You are immediately signed out everywhere and leave every tenant. For 30 days, you can change your mind. Then everything about you is erased.',
    ),
    action: t('Delete my account'),
    dialog: t('Delete your account?'),
    consequences: [
      t('You are signed out on every device, and leave every tenant with its licenses.'),
      t('For 30 days, you can sign in and restore your account.'),
      t('After that, everything about you is erased. It cannot be restored.'),
    ],
    word: 'DELETE MY ACCOUNT',
    inTheWay: t('Make somebody else an owner there first:'),
    membersOf: (tenant: string) => t('Members of {tenant}', { tenant }),
    gone: t('Goodbye'),
    goneText: t(
      'Your account will be deleted in 30 days, and you are signed out everywhere. If you change your mind before then, sign in and restore it.',
    ),
    toSignIn: t('Go to the sign-in page'),
  },
}
