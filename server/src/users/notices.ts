import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { queueMail } from '../mail/outbox.ts'
import { isOverMailQuota } from './mail-quota.ts'

/** The mails that inform people of changes to their account. */
const NOTICES = {
  'password-changed': {
    subject: 'Your password was changed',
    paragraph: 'The password of your account was changed, and every other device was signed out.',
  },
  'password-reset': {
    subject: 'Your password was reset',
    paragraph: 'Your account has a new password, chosen through a link in a mail. Every device was signed out.',
  },
  'email-changed': {
    subject: 'Your email address was changed',
    paragraph: 'Your account has another email address now. You sign in with that one from here on.',
  },
  'email-change-requested': {
    subject: 'Your email address is about to change',
    paragraph:
      'Somebody signed in as you asked to change the email address of your account. It changes once the link sent to the new address was followed.',
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

export interface NoticeRecipient {
  email: string
  email_verified: boolean
}

/** Queues a notice mail. `facts` are lines such as "Device: Firefox on Linux". */
export async function queueNotice(
  ctx: Ctx,
  tx: Tx,
  { to, kind, facts = [] }: { to: NoticeRecipient; kind: NoticeKind; facts?: string[] },
): Promise<void> {
  // An unverified address may belong to another person, so it has a quota.
  if (!to.email_verified && (await isOverMailQuota(ctx, 'notice', to.email))) return
  const { subject, paragraph } = NOTICES[kind]
  await queueMail(ctx, tx, to.email, {
    subject,
    paragraphs: [paragraph, ...facts, adviceFor(kind)],
    action: { label: 'Look after your account', path: '/account' },
  })
}

const adviceFor = (kind: NoticeKind): string => {
  if (ADMINISTRATOR_ACTIONS.includes(kind)) return ASK_ADVICE
  return ADDED_CREDENTIALS.includes(kind) ? REMOVE_ADVICE : RESET_ADVICE
}

const ADMINISTRATOR_ACTIONS: NoticeKind[] = [
  'disabled',
  'enabled',
  'mfa-reset',
  'sessions-ended',
  'deletion-ordered',
  'restored-by-administrator',
]
const ASK_ADVICE = 'If you do not know why, ask whoever runs this service.'

const OWN_ACTION = 'If this was you, there is nothing to do.'
const RESET_ADVICE = `${OWN_ACTION} If it was not, reset your password at once, and tell whoever runs this service.`
/** A new password does not revoke these. */
const ADDED_CREDENTIALS: NoticeKind[] = ['sso-linked', 'passkey-added', 'totp-enabled']
const REMOVE_ADVICE = `${OWN_ACTION} If it was not, reset your password at once, then sign in and remove it from your account.`

export const mailSuperAdminNotice = (ctx: Ctx, tx: Tx, email: string) =>
  queueMail(ctx, tx, email, {
    subject: 'You are now a Super Admin',
    paragraphs: [
      `This address was made a Super Admin of the Latchkey at ${ctx.config.baseUrl}.`,
      'A Super Admin sees and changes everything there. If you do not know why you have this right, tell whoever runs it.',
    ],
    action: { label: 'Open Latchkey', path: '/' },
  })
