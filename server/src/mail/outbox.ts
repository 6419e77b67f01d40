import type { SendMailOptions, Transporter } from 'nodemailer'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { defineJob } from '../jobs/job.ts'
import { enqueue, retryFailedJobs } from '../jobs/store.ts'
import { runInLanguage } from '../languages/current-language.ts'
import { beginSlowWork } from '../lib/concurrency/slow-work.ts'
import { newUniqueId } from '../lib/ids.ts'
import { loadMailDesign } from './design.ts'
import { chooseLanguage } from './language.ts'
import { loadMailLogo } from './logo.ts'
import type { Mail, Recipient } from './mail.ts'
import { DELIVERIES } from './metrics.ts'
import { LOGO_CID } from './render/html.tsx'
import { type RenderedMail, renderMail } from './render/render-mail.ts'
import { deleteMail, findMail, insertMail, type StoredMail } from './store.ts'

const SEAL = 'mail'

/**
 * Queues a mail in the caller's transaction. It is sent if and only if the transaction commits. It is rendered here, so
 * that its language and its design stay as they are now.
 */
export async function queueMail(ctx: Ctx, tx: Tx, recipient: Recipient, mail: Mail): Promise<void> {
  const { kind, path, values, facts, origin } = mail
  const { email: to, ...known } = typeof recipient === 'string' ? { email: recipient } : recipient
  const design = mail.design ?? (await loadMailDesign(tx, kind, { ...origin, recipient: to }))
  const language = chooseLanguage(kind, { ...design, ...known })
  const { baseUrl } = ctx.config
  const rendered = runInLanguage(language, () => renderMail({ kind, design, to, baseUrl, path, values, facts }))
  await queueRenderedMail(ctx, tx, to, rendered)
}

export async function queueRenderedMail(ctx: Ctx, tx: Tx, to: string, mail: RenderedMail): Promise<void> {
  const id = newUniqueId()
  const sealed = ctx.keys.seal(SEAL, JSON.stringify(mail))
  await insertMail(tx, { id, recipient: to, sealed, created_at: ctx.now() })
  if (!ctx.config.mail.mailbox) await enqueue(tx, deliverMail, { mailId: id })
}

export const unsealMail = (ctx: Ctx, { sealed }: StoredMail): RenderedMail =>
  JSON.parse(ctx.keys.unseal(SEAL, sealed)) as RenderedMail

/**
 * Hands one mail to the mail server. A failure is thrown, so that the job is retried. The first mail that succeeds
 * after an outage makes the other failed jobs due. The Message-ID is the row id, so that a mail that is sent twice
 * because of a crash is recognized as a duplicate.
 */
export const deliverMail = defineJob<{ mailId: string }>({
  name: 'deliver_mail',
  isSlow: true,
  async run(ctx, { mailId }) {
    const mail = await findMail(ctx.db, mailId)
    if (!mail || ctx.config.mail.mailbox) return
    await sendMail(ctx, mailId, await createMessage(ctx, mail))
    await deleteMail(ctx.db, mail.id)
    await retryFailedJobs(ctx.db, deliverMail)
  },
})

async function createMessage(ctx: Ctx, stored: StoredMail): Promise<SendMailOptions> {
  const { subject, text, html, logo: hash, language } = unsealMail(ctx, stored)
  const messageId = `<${stored.id}@${new URL(ctx.config.baseUrl).hostname}>`
  // RFC 3282. Mail that an earlier release has queued has no language.
  const headers = language === undefined ? {} : { 'Content-Language': language }
  const message = { from: ctx.config.mail.from, to: stored.recipient, subject, text, html, messageId, headers }
  // Without its logo, the mail still shows the name.
  const logo = hash === undefined ? undefined : await loadMailLogo(ctx.db, hash)
  if (!logo) return message
  const [, extension = ''] = logo.type.split('/')
  const file = { cid: LOGO_CID, filename: `logo.${extension}`, content: logo.logo, contentType: logo.type }
  return { ...message, attachments: [{ ...file, contentDisposition: 'inline' }] }
}

/** Returns when the mail was sent or permanently refused. Throws when it should be retried. */
async function sendMail(ctx: Ctx, mailId: string, message: SendMailOptions): Promise<void> {
  beginSlowWork('mail')
  const attributes = { 'latchkey.mail_id': mailId }
  try {
    await ctx.tracer.trace('send mail', { kind: 'client', attributes }, async () => {
      const transport = await openTransport(ctx)
      return transport.sendMail(message)
    })
    ctx.metrics.count(DELIVERIES, { outcome: 'sent' })
  } catch (error) {
    const isPermanent = isPermanentError(error)
    ctx.metrics.count(DELIVERIES, { outcome: isPermanent ? 'refused' : 'failed' })
    if (!isPermanent) throw error
    ctx.log.warn({ err: error, mailId }, 'mail refused by the mail server')
  }
}

const transports = new WeakMap<Ctx, Transporter>()

async function openTransport(ctx: Ctx): Promise<Transporter> {
  const { smtpUrl } = ctx.config.mail
  if (smtpUrl === undefined) throw new Error('SMTP_URL is not set')
  // Loaded on first use.
  const { createTransport } = await import('nodemailer')
  const open = transports.get(ctx)
  if (open) return open
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 60_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  transports.set(ctx, transport)
  return transport
}

/** A 5xx reply to the recipient or the message is permanent (RFC 5321 §4.2.1). */
function isPermanentError(error: unknown): boolean {
  const { responseCode = 0, command = '' } = error as { responseCode?: number; command?: string }
  return responseCode >= 500 && ['RCPT TO', 'DATA', 'API'].includes(command)
}
