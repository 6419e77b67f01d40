import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { MailOrigin } from '../mail/design-store.ts'
import type { MailFact } from '../mail/mail.ts'
import { queueMail } from '../mail/outbox.ts'
import type { NoticeKind } from '../mail/texts/notices.ts'
import { isOverMailQuota } from './mail-quota.ts'

export type { NoticeKind }

export interface NoticeRecipient {
  email: string
  email_verified: boolean
  /** Left out: that of the account with this address. */
  locale?: string | null
}

interface Notice {
  to: NoticeRecipient
  kind: NoticeKind
  facts?: MailFact[]
  origin?: MailOrigin
  /** The page that the button opens. */
  path?: string
}

/** Queues a mail that informs a person of a change to their account. */
export async function queueNotice(
  ctx: Ctx,
  tx: Tx,
  { to, kind, facts = [], origin = {}, path = '/account' }: Notice,
): Promise<void> {
  // An unverified address may belong to another person, so it has a quota.
  if (!to.email_verified && (await isOverMailQuota(ctx, 'notice', to.email))) return
  const { email, locale } = to
  await queueMail(ctx, tx, locale === undefined ? email : { email, locale }, { kind, facts, origin, path })
}

export const mailSuperAdminNotice = (ctx: Ctx, tx: Tx, email: string) =>
  queueMail(ctx, tx, email, {
    kind: 'super-admin',
    facts: [{ label: 'service', value: ctx.config.baseUrl }],
    path: '/',
  })
