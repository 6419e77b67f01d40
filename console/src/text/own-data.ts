/** Texts of the data export and account deletion. */
export const ownData = {
  title: 'Data & deletion',
  lead: 'See who may read your data, download it, or delete your account.',
  export: {
    title: 'Your data',
    lead: 'Everything that is stored about you, in one JSON file: profile, tenants, sessions, licenses, consents and what happened in your account.',
    action: 'Download my data',
    done: 'Your data was downloaded.',
    file: 'latchkey-personal-data.json',
  },
  deletion: {
    title: 'Delete your account',
    lead: 'You are immediately signed out everywhere and leave every tenant. For 30 days, you can change your mind. Then everything about you is erased.',
    action: 'Delete my account',
    dialog: 'Delete your account?',
    consequences: [
      'You are signed out on every device, and leave every tenant with its licenses.',
      'For 30 days, you can sign in and restore your account.',
      'After that, everything about you is erased. It cannot be restored.',
    ],
    word: 'DELETE MY ACCOUNT',
    inTheWay: 'Make somebody else an owner there first:',
    membersOf: (tenant: string) => `Members of ${tenant}`,
    gone: 'Goodbye',
    goneText:
      'Your account will be deleted in 30 days, and you are signed out everywhere. If you change your mind before then, sign in and restore it.',
    toSignIn: 'Go to the sign-in page',
  },
}
