import type { MailKind } from '../kinds.ts'
import type { NoticeKind } from './notices.ts'
import type { MailTexts } from './text.ts'

/** The texts of all mails but the notices of changes to an account. */
export const MAIL_TEXTS: MailTexts<Exclude<MailKind, NoticeKind>> = {
  'verify-email': {
    subject: 'Confirm your email address',
    heading: 'Confirm your email address',
    text: 'Welcome to {{application}}. Please confirm that {{email}} is your address.\n\nThe link is valid for {{validity}}.',
    button: 'Confirm this address',
    note: 'If you did not sign up, do not follow the link: somebody else has used your address, and nothing happens without you.',
  },
  'account-exists': {
    subject: 'You have an account already',
    heading: 'You have an account already',
    text: 'Somebody, probably you, tried to sign up at {{application}} with this address, which has an account already. Sign in with it instead.',
    button: 'Sign in',
    note: 'If it was not you, there is nothing you need to do.',
  },
  'password-reset': {
    subject: 'Choose a new password',
    heading: 'Choose a new password',
    text: 'Somebody, probably you, has asked for a new password for your account at {{application}}.\n\nThe link works once, within {{validity}}.',
    button: 'Choose a new password',
    note: 'If it was not you, do not follow the link: your password stays as it is.',
  },
  'sign-in-code': {
    subject: '{{code}} is your code for {{application}}',
    heading: '{{code}}',
    text: 'Type this code in the browser in which you asked for it, to sign in to {{application}}.\n\nIt works once, within {{validity}}. Nobody from {{application}} will ever ask you for it.',
    button: '',
    note: 'If you did not ask for a code, there is nothing you need to do: without it nobody gets in.',
  },
  'password-ended': {
    subject: 'You need a new password',
    heading: 'You need a new password',
    text: 'An administrator has removed the password of your account at {{application}} and signed you out everywhere. Choose a new one to sign in again.\n\nThe link works once, within {{validity}}. After that, ask for another on the sign-in page.',
    button: 'Choose a new password',
  },
  'first-password': {
    subject: 'An account was made for you',
    heading: 'An account was made for you',
    text: 'An administrator has made an account at {{application}} for this address. Choose a password, and you can sign in.\n\nThe link works once, within {{validity}}. After that, ask for another on the sign-in page.',
    button: 'Choose a password',
  },
  'confirm-new-email': {
    subject: 'Confirm your new email address',
    heading: 'Confirm your new email address',
    text: 'Please confirm that {{email}} is the new address of your account.\n\nThe link works once, within {{validity}}.',
    button: 'Confirm this address',
    note: 'If you did not ask for this, do not follow the link: somebody has entered your address as theirs, and nothing happens without you.',
  },
  'address-taken': {
    subject: 'Somebody gave your email address for theirs',
    heading: 'Your address was entered for another account',
    text: 'Somebody wanted to make this the address of their account, but it is the address of yours. Nothing was changed.\n\nIf it was you, sign in to the account that has this address.',
    button: 'Sign in',
    note: 'If it was not you, there is nothing you need to do.',
  },
  invitation: {
    subject: 'Join {{tenant}}',
    heading: 'Join {{tenant}}',
    text: '{{inviter}} invites you to join {{tenant}}.\n\nThe invitation is valid until {{expires}}. It is for you alone: do not pass this mail on.',
    button: 'See the invitation',
    note: 'If you do not know who that is, there is nothing you need to do.',
  },
  'tenant-suspended': {
    subject: '{{tenant}} is suspended',
    heading: '{{tenant}} is suspended',
    text: 'The operator of this service has suspended {{tenant}}, of which you are an owner or admin.\n\nUntil the suspension is ended nobody can sign in for it, invite people or use its licenses. Nothing is deleted: members, licenses and settings are kept.',
    button: 'Open your account',
    note: 'If you do not know why, ask the operator of this service.',
  },
  'tenant-reactivated': {
    subject: '{{tenant}} is not suspended any more',
    heading: '{{tenant}} is not suspended any more',
    text: 'The suspension of {{tenant}}, of which you are an owner or admin, was ended. Everything is as it was before.',
    button: 'Open the console',
  },
  'support-access-allowed': {
    subject: '{{tenant}} allows support access',
    heading: '{{tenant}} allows support access',
    text: '{{actor}} has turned on support access for {{tenant}}, of which you are an owner. From now on, whoever runs this service can act as one of its members for a short time.\n\nThe member and the owners get a mail each time. What is done is in the audit log of {{tenant}}.',
    button: 'Open the console',
    note: 'If you do not want this, turn off support access in the settings of the organization.',
  },
  'support-access': {
    subject: 'Support acts as you in {{tenant}}',
    heading: 'Support acts as you in {{tenant}}',
    text: '{{operator}}, who runs this service, acts as you in {{tenant}} for a short time. Your password, your sessions and your other organizations are out of reach. What is done is in the audit log of {{tenant}}.',
    button: 'Open your account',
    note: 'If you did not expect this, ask an owner of the organization. To end it at once, end your other sessions on your account page.',
  },
  'tenant-support-access': {
    subject: 'Support acts as a member of {{tenant}}',
    heading: 'Support acts as a member of {{tenant}}',
    text: '{{operator}}, who runs this service, acts as {{member}} in {{tenant}} for a short time. What is done is in the audit log of {{tenant}}, under both names.',
    button: 'Open the console',
    note: 'To end it at once, turn off support access in the settings of the organization.',
  },
  'webhook-disabled': {
    subject: 'A webhook of {{tenant}} was disabled',
    heading: 'A webhook was disabled',
    text: 'Events of {{tenant}} are no longer sent to this webhook.\n\nPending deliveries are kept and are sent once the webhook is enabled again. Events from the time in between are not sent automatically, but can be replayed.',
    button: 'Open the console',
  },
  'instance-webhook-disabled': {
    subject: 'A webhook of {{application}} was disabled',
    heading: 'A webhook was disabled',
    text: 'Events of {{application}} are no longer sent to this webhook.\n\nPending deliveries are kept and are sent once the webhook is enabled again. Events from the time in between are not sent automatically, but can be replayed.',
    button: 'Open the console',
  },
  'super-admin': {
    subject: 'You are now a Super Admin',
    heading: 'You are now a Super Admin',
    text: 'This address was made a Super Admin of {{application}}. A Super Admin sees and changes everything there.',
    button: 'Open the console',
    note: 'If you do not know why you have this right, tell whoever runs this service.',
  },
}
