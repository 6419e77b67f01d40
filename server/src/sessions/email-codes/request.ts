import { recordAuditEvent, SYSTEM } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { countAgainstLimit } from '../../db/limiter.ts'
import { AppError } from '../../errors.ts'
import { clientNetwork } from '../../http/request/client-address.ts'
import type { Exchange } from '../../http/routing/exchange.ts'
import { defineJob } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/store.ts'
import { findRequestLanguage, resumeInLanguage } from '../../languages/current-language.ts'
import type { Language } from '../../languages/languages.ts'
import { t } from '../../languages/translate.ts'
import { requireEmail } from '../../lib/field-validation.ts'
import { sealText, unsealText } from '../../lib/seal.ts'
import { newDigits, newSecret } from '../../lib/secrets.ts'
import { queueMail } from '../../mail/outbox.ts'
import { isOverMailQuota } from '../../users/mail-quota.ts'
import { isPlaceholder } from '../../users/placeholders.ts'
import { findUserByEmail, lockUser, type User } from '../../users/service.ts'
import { markAddressContested } from '../contested-address.ts'
import type { LoginTransaction } from '../login-transaction.ts'
import { resendVerification } from '../resend-verification.ts'
import { CODE_SECONDS, saveAskingBrowser, toBrowserHash, toCodeHash } from './asking-browser.ts'
import { findCodeOffer, mayReceiveCode } from './policy.ts'
import { assignCode, insertCode } from './store.ts'

/** The address and the code are encrypted in the job queue. */
const SEAL = 'sign-in-code'
const LIMIT = { name: 'sign-in-code', max: 2_000, seconds: 15 * 60 }
const DIGITS = 6

/**
 * Queues a mail with a code for this browser. A job checks whether the account exists, so that neither the response nor
 * its time discloses it.
 */
export async function requestCode(
  ctx: Ctx,
  exchange: Exchange,
  { email: input, login }: { email: string; login: LoginTransaction | undefined },
): Promise<void> {
  const offer = await findCodeOffer(ctx, login)
  if (!offer) throw new AppError('FORBIDDEN', { message: t('This application does not offer mailed codes.') })
  await countAgainstLimit(ctx.db, LIMIT, clientNetwork(exchange.request))
  const email = requireEmail(input.trim(), 'email')
  const asking = { secret: newSecret(), email }
  const code = newDigits(DIGITS)
  const expires_at = new Date(ctx.now().getTime() + CODE_SECONDS * 1000)
  const browserHash = toBrowserHash(asking)
  await insertCode(ctx.db, { browser_hash: browserHash, code_hash: toCodeHash(asking, code), expires_at })
  saveAskingBrowser(ctx, exchange, asking)
  if (await isOverMailQuota(ctx, 'sign-in-code', email)) return
  const { clientId, tenant } = login ?? {}
  const language = findRequestLanguage()
  await enqueue(ctx.db, mailSignInCode, {
    sealed: sealText(ctx.keys, SEAL, JSON.stringify({ email, code })),
    browserHash: browserHash.toString('base64url'),
    ...(offer.tenantId !== undefined && { tenantId: offer.tenantId }),
    ...(clientId !== undefined && { clientId }),
    ...(tenant !== undefined && { tenant }),
    ...(language !== undefined && { language }),
  })
}

interface CodeMail {
  sealed: string
  browserHash: string
  /** Set if the code is for members of this tenant only. */
  tenantId?: string
  clientId?: string
  tenant?: string
  /** Of the request. */
  language?: Language
}

/** Mails the code to its address if that has an account that may use it. */
export const mailSignInCode = defineJob<CodeMail>({
  name: 'mail_sign_in_code',
  run: (ctx, mail) => resumeInLanguage(mail.language, () => mailToAccount(ctx, mail)),
})

async function mailToAccount(ctx: Ctx, mail: CodeMail): Promise<void> {
  const text = unsealText(ctx.keys, SEAL, mail.sealed)
  if (text === undefined) return
  const { email, code } = JSON.parse(text) as { email: string; code: string }
  const user = await findUserByEmail(ctx.db, email)
  if (!user || user.disabled || isPlaceholder(user) || !(await mayReceiveCode(ctx, user.id, mail))) return
  if (!user.email_verified) return mailConfirmation(ctx, user)
  // The account is for a provider or a passkey only.
  if (!user.password_sign_in) return
  await mailCode(ctx, mail, { user, code })
}

/**
 * The address has to be confirmed first. Somebody else may have signed up with it, so the link requires the password of
 * the sign-up.
 */
async function mailConfirmation(ctx: Ctx, user: User): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const locked = await lockUser(tx, user.id)
    if (!locked || locked.email_verified) return
    await markAddressContested(ctx, tx, { id: user.id, passwordHash: locked.password_hash })
  })
  await resendVerification(ctx, user)
}

async function mailCode(
  ctx: Ctx,
  { browserHash, clientId, tenant }: CodeMail,
  { user, code }: { user: User; code: string },
): Promise<void> {
  const { id: userId, email } = user
  await ctx.db.transaction().execute(async (tx) => {
    const hash = Buffer.from(browserHash, 'base64url')
    if (!(await assignCode(tx, { browserHash: hash, userId, now: ctx.now() }))) return
    await queueMail(ctx, tx, email, {
      kind: 'sign-in-code',
      values: { code, validity: CODE_SECONDS },
      path: '/login',
      origin: { clientId, tenant },
    })
    await recordAuditEvent(ctx, tx, { action: 'user.sign_in_code_requested', actor: SYSTEM, userId })
  })
}
