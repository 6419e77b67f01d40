/** Taking one's data along, and leaving. */
export const ownData = {
  title: 'Data & deletion',
  lead: 'Take along what is kept about you, or leave.',
  export: {
    title: 'Your data',
    lead: 'Everything that is kept about you in one file (JSON): profile, tenants, sessions, licenses, consents and what happened in your account.',
    action: 'Download my data',
    done: 'Your data was downloaded.',
    file: 'latchkey-personal-data.json',
  },
  deletion: {
    title: 'Delete your account',
    lead: 'You are signed out everywhere and leave every tenant at once. For 30 days you can change your mind; then everything about you is erased.',
    action: 'Delete my account',
    dialog: 'Delete your account?',
    consequences: [
      'You are signed out on every device, and leave every tenant with its licenses.',
      'For 30 days you can sign in and have your account back.',
      'After that, everything about you is erased. Nobody can bring it back.',
    ],
    word: 'DELETE MY ACCOUNT',
    inTheWay: 'Make somebody else an owner there first:',
    membersOf: (tenant: string) => `Members of ${tenant}`,
    gone: 'Goodbye',
    goneText:
      'Your account will be deleted in 30 days, and you are signed out everywhere. If you change your mind until then, sign in and restore it.',
    toSignIn: 'Go to the sign-in page',
  },
}
