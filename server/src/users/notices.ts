import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { queueMail } from '../mail/outbox.ts'
import { isTired } from './recipients.ts'

/** What a person is told by mail, so that nobody changes their account behind their back. */
const NOTICES = {
  'password-changed': {
    subject: 'Your password was changed',
    paragraph: 'The password of your account was changed, and every other device was signed out.',
  },
  'password-reset': {
    subject: 'Your password was reset',
    paragraph:
      'Your account has a new password, chosen through a link in a mail. Every device was signed out.',
  },
  'email-changed': {
    subject: 'Your e-mail address was changed',
    paragraph: 'Your account has another e-mail address now. You sign in with that one from here on.',
  },
  'email-change-requested': {
    subject: 'Your e-mail address is about to change',
    paragraph:
      'Somebody signed in as you asked to change the e-mail address of your account. It changes once the link sent to the new address was followed.',
  },
  'totp-enabled': {
    subject: 'An authenticator app was added',
    paragraph: 'From now on signing in to your account takes a code of your authenticator app.',
  },
  'totp-disabled': {
    subject: 'Your authenticator app was removed',
    paragraph: 'Signing in to your account takes no code of an authenticator app any more.',
  },
  'recovery-codes-replaced': {
    subject: 'You have new recovery codes',
    paragraph: 'New recovery codes were made for your account. The ones before do not work any more.',
  },
  'recovery-code-used': {
    subject: 'A recovery code was used',
    paragraph: 'Somebody signed in to your account with one of your recovery codes.',
  },
  'passkey-added': {
    subject: 'A passkey was added',
    paragraph: 'A passkey was added to your account: it can be used to sign in.',
  },
  'passkey-removed': {
    subject: 'A passkey was removed',
    paragraph: 'A passkey was removed from your account and cannot be used to sign in any more.',
  },
  'sso-linked': {
    subject: 'A sign-in provider was linked',
    paragraph: 'An account of another provider was linked to yours: it can be used to sign in.',
  },
  'sso-unlinked': {
    subject: 'A sign-in provider was unlinked',
    paragraph: 'An account of another provider can no longer be used to sign in to yours.',
  },
  'new-device': {
    subject: 'New sign-in to your account',
    paragraph: 'Your account was used on a device from which you have not signed in before.',
  },
  'deletion-requested': {
    subject: 'Your account will be deleted',
    paragraph: 'You have asked us to delete your account. Until it is, you can sign in and restore it.',
  },
  restored: {
    subject: 'Your account was restored',
    paragraph: 'Your account will not be deleted: it was restored by signing in.',
  },
  disabled: {
    subject: 'Your account was disabled',
    paragraph: 'An administrator disabled your account. You are signed out everywhere and cannot sign in.',
  },
  enabled: {
    subject: 'Your account was enabled again',
    paragraph: 'An administrator enabled your account again. You can sign in as before.',
  },
  'mfa-reset': {
    subject: 'Your second factors were removed',
    paragraph:
      'An administrator removed your authenticator app, recovery codes and passkeys, and signed you out everywhere. Signing in takes none of them any more; set new ones up.',
  },
  'sessions-ended': {
    subject: 'You were signed out everywhere',
    paragraph: 'An administrator ended all your sessions. Sign in again wherever you need to.',
  },
  'deletion-ordered': {
    subject: 'Your account will be deleted',
    paragraph:
      'An administrator has asked for your account to be deleted. You are signed out everywhere. Until it is deleted, you can sign in and restore it.',
  },
  'restored-by-administrator': {
    subject: 'Your account was restored',
    paragraph: 'Your account will not be deleted: an administrator has restored it.',
  },
} as const

export type NoticeKind = keyof typeof NOTICES

/** Whom a notice is for. */
export interface Addressee {
  email: string
  email_verified: boolean
}

/** Tells a person what has happened. `facts` are lines such as "Device: Firefox on Linux". */
export async function notify(
  ctx: Ctx,
  tx: Tx,
  { to, kind, facts = [] }: { to: Addressee; kind: NoticeKind; facts?: string[] },
): Promise<void> {
  // An address that nobody has confirmed may be a stranger's, whose mailbox is not to be filled.
  if (!to.email_verified && (await isTired(ctx, 'notice', to.email))) return
  const { subject, paragraph } = NOTICES[kind]
  await queueMail(ctx, tx, to.email, {
    subject,
    paragraphs: [paragraph, ...facts, adviceOn(kind)],
    action: { label: 'Look after your account', path: '/account' },
  })
}

const adviceOn = (kind: NoticeKind): string => {
  if (BY_OTHERS.includes(kind)) return ASK
  return WAYS_IN.includes(kind) ? REMOVE_IT : RESET
}

/** What an administrator does to somebody. */
const BY_OTHERS: NoticeKind[] = [
  ...(['disabled', 'enabled', 'mfa-reset', 'sessions-ended'] as const),
  ...(['deletion-ordered', 'restored-by-administrator'] as const),
]
const ASK = 'If you do not know why, ask whoever runs this service.'

const INNOCENT = 'If this was you, there is nothing to do.'
const RESET = `${INNOCENT} If it was not, reset your password at once, and tell whoever runs this service.`
/** A new password does not undo these. */
const WAYS_IN: NoticeKind[] = ['sso-linked', 'passkey-added', 'totp-enabled']
const REMOVE_IT = `${INNOCENT} If it was not, reset your password at once, then sign in and remove it from your account.`
