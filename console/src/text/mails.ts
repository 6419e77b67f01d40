import { t } from './translate.ts'

interface MailKindText {
  title: string
  when: string
}

const KINDS: Record<string, MailKindText> = {
  'verify-email': { title: t('Confirm an address'), when: t('When somebody signs up.') },
  'account-exists': {
    title: t('Account exists'),
    when: t('When somebody signs up with an address that has an account.'),
  },
  'password-reset': { title: t('Reset a password'), when: t('When somebody has forgotten their password.') },
  'sign-in-code': { title: t('Sign-in code'), when: t('When somebody asks for a code to sign in with.') },
  'password-ended': { title: t('Password removed'), when: t('When an administrator removes a password.') },
  'first-password': { title: t('First password'), when: t('When an administrator creates an account.') },
  'confirm-new-email': { title: t('Confirm a new address'), when: t('When somebody changes their address.') },
  'address-taken': {
    title: t('Address taken'),
    when: t('When somebody changes their address to one that has an account.'),
  },
  invitation: { title: t('Invitation'), when: t('When somebody is invited to a tenant.') },
  'tenant-suspended': {
    title: t('Tenant suspended'),
    when: t('When a tenant is suspended, to its owners and admins.'),
  },
  'tenant-reactivated': { title: t('Tenant reactivated'), when: t('When the suspension of a tenant ends.') },
  'support-access-allowed': {
    title: t('Support access turned on'),
    when: t('When a tenant allows operators to act as its members, to its other owners.'),
  },
  'support-access': { title: t('Support access'), when: t('When an operator acts as somebody, to that person.') },
  'tenant-support-access': {
    title: t('Support access to a tenant'),
    when: t('When an operator acts as a member, to the owners of the tenant.'),
  },
  'webhook-disabled': {
    title: t('Webhook disabled'),
    when: t('When a webhook of a tenant cannot be reached any more.'),
  },
  'instance-webhook-disabled': {
    title: t('Webhook of the instance disabled'),
    when: t('When a webhook of the instance cannot be reached any more.'),
  },
  'super-admin': { title: t('New Super Admin'), when: t('When somebody becomes a Super Admin.') },
  'password-changed': { title: t('Password changed'), when: t('When somebody changes their password.') },
  'password-was-reset': { title: t('Password was reset'), when: t('When a password was set through a link.') },
  'email-changed': { title: t('Address changed'), when: t('When the address of an account was changed.') },
  'email-change-requested': {
    title: t('Address about to change'),
    when: t('To the old address, before it is changed.'),
  },
  'totp-enabled': { title: t('Authenticator app added'), when: t('When somebody sets up an authenticator app.') },
  'totp-disabled': { title: t('Authenticator app removed'), when: t('When somebody removes their authenticator app.') },
  'recovery-codes-replaced': { title: t('New recovery codes'), when: t('When somebody creates new recovery codes.') },
  'recovery-code-used': { title: t('Recovery code used'), when: t('When somebody signs in with a recovery code.') },
  'passkey-added': { title: t('Passkey added'), when: t('When somebody adds a passkey.') },
  'passkey-removed': { title: t('Passkey removed'), when: t('When somebody removes a passkey.') },
  'sso-linked': { title: t('Provider linked'), when: t('When an account of another provider is linked.') },
  'sso-unlinked': { title: t('Provider unlinked'), when: t('When the link to another provider is removed.') },
  'new-device': { title: t('New device'), when: t('When somebody signs in with a browser not used before.') },
  'device-allowed': { title: t('Device allowed'), when: t('When somebody allows a device without a browser.') },
  'deletion-requested': { title: t('Deletion requested'), when: t('When somebody asks to delete their account.') },
  'deletion-ordered': {
    title: t('Deletion by an administrator'),
    when: t('When an administrator deletes an account.'),
  },
  restored: { title: t('Account restored'), when: t('When somebody cancels the deletion of their account.') },
  'restored-by-administrator': {
    title: t('Account restored by an administrator'),
    when: t('When an administrator cancels the deletion of an account.'),
  },
  disabled: { title: t('Account disabled'), when: t('When an administrator disables an account.') },
  enabled: { title: t('Account enabled'), when: t('When an administrator enables an account again.') },
  'mfa-reset': { title: t('Second factors removed'), when: t('When an administrator removes the second factors.') },
  'sessions-ended': {
    title: t('Signed out everywhere'),
    when: t('When an administrator ends all sessions of a person.'),
  },
}

export const findMailKind = (kind: string): MailKindText =>
  Object.hasOwn(KINDS, kind) ? (KINDS[kind] as MailKindText) : { title: kind, when: '' }

const MEANINGS: Record<string, string | undefined> = {
  application: t('The name that the mail is sent under'),
  email: t('The address of the recipient'),
  validity: t('How long the link works, such as “one hour”'),
  tenant: t('The name of the tenant, in quotation marks'),
  inviter: t('The name of the inviting person, in quotation marks'),
  expires: t('The last day of the invitation'),
  code: t('The code to type in'),
  operator: t('The name of the operator, in quotation marks'),
  member: t('The name of the member, in quotation marks'),
  actor: t('The name of the person who made the change, in quotation marks'),
}

export const mails = {
  title: t('Mails'),
  lead: {
    instance: t('The texts of all mails that this service sends. Tenants may edit some of them for themselves.'),
    tenant: t(
      'The texts of mails to people of this tenant. They are used once an administrator of this service has approved the branding of the tenant.',
    ),
  },
  all: t('All mails'),
  columns: { mail: t('Mail'), subject: t('Subject'), texts: t('Texts') },
  edited: t('Edited'),
  default: t('Default'),
  fields: { subject: t('Subject'), heading: t('Heading'), text: t('Text'), button: t('Label of the button') },
  textHint: t('An empty line begins a new paragraph. The button is the only link of a mail.'),
  variables: t('Variables'),
  variablesLead: t('Write them into a text, and each mail shows its own values.'),
  meanings: MEANINGS,
  preview: t('Preview'),
  language: t('Language'),
  html: t('HTML'),
  plainText: t('Plain text'),
  subjectLabel: t('Subject:'),
  sendTest: t('Send a test to me'),
  reset: t('Back to default'),
  resetQuestion: t('Go back to the default texts?'),
  resetText: t('Subject, heading, text and label of this mail are replaced by the default texts.'),
  wasReset: t('The mail has its default texts again.'),
}
