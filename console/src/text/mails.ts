interface MailKindText {
  title: string
  when: string
}

const KINDS: Record<string, MailKindText> = {
  'verify-email': { title: 'Confirm an address', when: 'When somebody signs up.' },
  'account-exists': { title: 'Account exists', when: 'When somebody signs up with an address that has an account.' },
  'password-reset': { title: 'Reset a password', when: 'When somebody has forgotten their password.' },
  'password-ended': { title: 'Password removed', when: 'When an administrator removes a password.' },
  'first-password': { title: 'First password', when: 'When an administrator creates an account.' },
  'confirm-new-email': { title: 'Confirm a new address', when: 'When somebody changes their address.' },
  'address-taken': { title: 'Address taken', when: 'When somebody changes their address to one that has an account.' },
  invitation: { title: 'Invitation', when: 'When somebody is invited to a tenant.' },
  'tenant-suspended': { title: 'Tenant suspended', when: 'When a tenant is suspended, to its owners and admins.' },
  'tenant-reactivated': { title: 'Tenant reactivated', when: 'When the suspension of a tenant ends.' },
  'support-access': { title: 'Support access', when: 'When an operator acts as somebody, to that person.' },
  'tenant-support-access': {
    title: 'Support access to a tenant',
    when: 'When an operator acts as a member, to the owners of the tenant.',
  },
  'webhook-disabled': { title: 'Webhook disabled', when: 'When a webhook of a tenant cannot be reached any more.' },
  'instance-webhook-disabled': {
    title: 'Webhook of the instance disabled',
    when: 'When a webhook of the instance cannot be reached any more.',
  },
  'super-admin': { title: 'New Super Admin', when: 'When somebody becomes a Super Admin.' },
  'password-changed': { title: 'Password changed', when: 'When somebody changes their password.' },
  'password-was-reset': { title: 'Password was reset', when: 'When a password was set through a link.' },
  'email-changed': { title: 'Address changed', when: 'When the address of an account was changed.' },
  'email-change-requested': { title: 'Address about to change', when: 'To the old address, before it is changed.' },
  'totp-enabled': { title: 'Authenticator app added', when: 'When somebody sets up an authenticator app.' },
  'totp-disabled': { title: 'Authenticator app removed', when: 'When somebody removes their authenticator app.' },
  'recovery-codes-replaced': { title: 'New recovery codes', when: 'When somebody creates new recovery codes.' },
  'recovery-code-used': { title: 'Recovery code used', when: 'When somebody signs in with a recovery code.' },
  'passkey-added': { title: 'Passkey added', when: 'When somebody adds a passkey.' },
  'passkey-removed': { title: 'Passkey removed', when: 'When somebody removes a passkey.' },
  'sso-linked': { title: 'Provider linked', when: 'When an account of another provider is linked.' },
  'sso-unlinked': { title: 'Provider unlinked', when: 'When the link to another provider is removed.' },
  'new-device': { title: 'New device', when: 'When somebody signs in with a browser not used before.' },
  'device-allowed': { title: 'Device allowed', when: 'When somebody allows a device without a browser.' },
  'deletion-requested': { title: 'Deletion requested', when: 'When somebody asks to delete their account.' },
  'deletion-ordered': { title: 'Deletion by an administrator', when: 'When an administrator deletes an account.' },
  restored: { title: 'Account restored', when: 'When somebody cancels the deletion of their account.' },
  'restored-by-administrator': {
    title: 'Account restored by an administrator',
    when: 'When an administrator cancels the deletion of an account.',
  },
  disabled: { title: 'Account disabled', when: 'When an administrator disables an account.' },
  enabled: { title: 'Account enabled', when: 'When an administrator enables an account again.' },
  'mfa-reset': { title: 'Second factors removed', when: 'When an administrator removes the second factors.' },
  'sessions-ended': { title: 'Signed out everywhere', when: 'When an administrator ends all sessions of a person.' },
}

export const findMailKind = (kind: string): MailKindText =>
  Object.hasOwn(KINDS, kind) ? (KINDS[kind] as MailKindText) : { title: kind, when: '' }

const MEANINGS: Record<string, string | undefined> = {
  application: 'The name that the mail is sent under',
  email: 'The address of the recipient',
  validity: 'How long the link works, such as “one hour”',
  tenant: 'The name of the tenant, in quotation marks',
  inviter: 'The name of the inviting person, in quotation marks',
  expires: 'The last day of the invitation',
}

export const mails = {
  title: 'Mails',
  lead: {
    instance: 'The texts of all mails that this service sends. Tenants may edit some of them for themselves.',
    tenant:
      'The texts of mails to people of this tenant. They are used once an administrator of this service has approved the branding of the tenant.',
  },
  all: 'All mails',
  columns: { mail: 'Mail', subject: 'Subject', texts: 'Texts' },
  edited: 'Edited',
  default: 'Default',
  fields: { subject: 'Subject', heading: 'Heading', text: 'Text', button: 'Label of the button' },
  textHint: 'An empty line begins a new paragraph. The button is the only link of a mail.',
  variables: 'Variables',
  variablesLead: 'Write them into a text, and each mail shows its own values.',
  meanings: MEANINGS,
  preview: 'Preview',
  html: 'HTML',
  plainText: 'Plain text',
  subjectLabel: 'Subject:',
  sendTest: 'Send a test to me',
  reset: 'Back to default',
  resetQuestion: 'Go back to the default texts?',
  resetText: 'Subject, heading, text and label of this mail are replaced by the default texts.',
  wasReset: 'The mail has its default texts again.',
}
