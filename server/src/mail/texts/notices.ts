import type { MailKind } from '../kinds.ts'
import type { MailText, MailTexts } from './text.ts'

const RESET_NOTE =
  'If this was you, there is nothing to do. If it was not, reset your password at once, and tell whoever runs this service.'
/** For credentials that a new password does not revoke. */
const REMOVE_NOTE =
  'If this was you, there is nothing to do. If it was not, reset your password at once, then sign in and remove it from your account.'
/** For what an administrator did. */
const ASK_NOTE = 'If you do not know why, ask whoever runs this service.'

const notice = (subject: string, text: string, note: string): MailText => ({
  subject,
  heading: subject,
  text,
  button: 'Look after your account',
  note,
})

/** The texts of the notices that inform people of changes to their account. */
export const NOTICE_TEXTS = {
  'password-changed': notice(
    'Your password was changed',
    'The password of your account was changed, and every other device was signed out.',
    RESET_NOTE,
  ),
  'password-was-reset': notice(
    'Your password was reset',
    'Your account has a new password, chosen through a link in a mail. Every device was signed out.',
    RESET_NOTE,
  ),
  'email-changed': notice(
    'Your email address was changed',
    'Your account has another email address now. You sign in with that one from here on.',
    RESET_NOTE,
  ),
  'email-change-requested': notice(
    'Your email address is about to change',
    'Somebody signed in as you asked to change the email address of your account. It changes once the link sent to the new address is followed.',
    RESET_NOTE,
  ),
  'totp-enabled': notice(
    'An authenticator app was added',
    'From now on signing in to your account takes a code of your authenticator app.',
    REMOVE_NOTE,
  ),
  'totp-disabled': notice(
    'Your authenticator app was removed',
    'Signing in to your account takes no code of an authenticator app any more.',
    RESET_NOTE,
  ),
  'recovery-codes-replaced': notice(
    'You have new recovery codes',
    'New recovery codes were made for your account. The ones before do not work any more.',
    RESET_NOTE,
  ),
  'recovery-code-used': notice(
    'A recovery code was used',
    'Somebody signed in to your account with one of your recovery codes.',
    RESET_NOTE,
  ),
  'passkey-added': notice(
    'A passkey was added',
    'A passkey was added to your account: it can be used to sign in.',
    REMOVE_NOTE,
  ),
  'passkey-removed': notice(
    'A passkey was removed',
    'A passkey was removed from your account and cannot be used to sign in any more.',
    RESET_NOTE,
  ),
  'sso-linked': notice(
    'A sign-in provider was linked',
    'An account of another provider was linked to yours: it can be used to sign in.',
    REMOVE_NOTE,
  ),
  'sso-unlinked': notice(
    'A sign-in provider was unlinked',
    'An account of another provider can no longer be used to sign in to yours.',
    RESET_NOTE,
  ),
  'new-device': {
    subject: 'New sign-in to your account',
    heading: 'New sign-in to your account',
    text: 'Somebody signed in to your account at {{application}} in a browser or on a device that you have not used here before.',
    button: 'See where you are signed in',
    note: 'If this was you, there is nothing to do. If it was not, sign out that device on the page above, then reset your password at once, and tell whoever runs this service.',
  },
  'device-allowed': {
    subject: 'A device was allowed to use your account',
    heading: 'A device was allowed to use your account',
    text: 'Somebody who was signed in as you, probably you, typed the code of a device and allowed it to use your account.\n\nThe access of the device ends when you sign out of the browser in which you allowed it, or end that session on the page below.',
    button: 'See where you are signed in',
    note: 'If you do not know this device, reset your password at once: that ends its access. Then tell whoever runs this service.',
  },
  'deletion-requested': notice(
    'Your account will be deleted',
    'You have asked us to delete your account. Until it is deleted, you can sign in and restore it.',
    RESET_NOTE,
  ),
  restored: notice(
    'Your account was restored',
    'Your account will not be deleted: it was restored by signing in.',
    RESET_NOTE,
  ),
  disabled: notice(
    'Your account was disabled',
    'An administrator disabled your account. You are signed out everywhere and cannot sign in.',
    ASK_NOTE,
  ),
  enabled: notice(
    'Your account was enabled again',
    'An administrator enabled your account again. You can sign in as before.',
    ASK_NOTE,
  ),
  'mfa-reset': notice(
    'Your second factors were removed',
    'An administrator removed your authenticator app, recovery codes and passkeys, and signed you out everywhere. Signing in takes none of them any more; set new ones up.',
    ASK_NOTE,
  ),
  'sessions-ended': notice(
    'You were signed out everywhere',
    'An administrator ended all your sessions. Sign in again wherever you need to.',
    ASK_NOTE,
  ),
  'deletion-ordered': notice(
    'Your account will be deleted',
    'An administrator has asked for your account to be deleted. You are signed out everywhere. Until it is deleted, you can sign in and restore it.',
    ASK_NOTE,
  ),
  'restored-by-administrator': notice(
    'Your account was restored',
    'Your account will not be deleted: an administrator has restored it.',
    ASK_NOTE,
  ),
} as const satisfies Partial<MailTexts<MailKind>>

export type NoticeKind = keyof typeof NOTICE_TEXTS
