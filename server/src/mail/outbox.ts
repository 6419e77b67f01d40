import type { SendMailOptions, Transporter } from 'nodemailer'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { defineJob } from '../jobs/job.ts'
import { enqueue, retryFailedJobs } from '../jobs/store.ts'
import { newId } from '../lib/ids.ts'
import { beginSlowWork } from '../lib/slow-work.ts'
import { DELIVERIES } from './figures.ts'
import { type Letter, type RenderedLetter, renderLetter } from './letter.tsx'
import { deleteMail, findMail, insertMail, type StoredMail } from './store.ts'

const SEAL = 'mail'

/** Writes a letter in the caller's transaction. It is sent if and only if that transaction commits. */
export async function queueMail(ctx: Ctx, tx: Tx, to: string, letter: Letter): Promise<void> {
  const id = newId()
  const sealed = ctx.keys.seal(SEAL, JSON.stringify(renderLetter(ctx.config, letter)))
  await insertMail(tx, { id, recipient: to, sealed, created_at: ctx.now() })
  if (!ctx.config.mail.mailbox) await enqueue(tx, deliverMail, { mailId: id })
}

export const openMail = (ctx: Ctx, { sealed }: StoredMail): RenderedLetter =>
  JSON.parse(ctx.keys.unseal(SEAL, sealed)) as RenderedLetter

/**
 * Hands one mail to the mail server. A failure is thrown and so tried again later; the first mail that goes
 * through after an outage calls the waiting ones. The Message-ID is the row's, so that a mail repeated after a
 * crash between sending and deleting is recognised as the same.
 */
export const deliverMail = defineJob<{ mailId: string }>({
  name: 'deliver_mail',
  isSlow: true,
  async run(ctx, { mailId }) {
    const mail = await findMail(ctx.db, mailId)
    if (!mail || ctx.config.mail.mailbox) return
    const { subject, text, html } = openMail(ctx, mail)
    const messageId = `<${mail.id}@${new URL(ctx.config.baseUrl).hostname}>`
    const message = { from: ctx.config.mail.from, to: mail.recipient, subject, text, html, messageId }
    await handOver(ctx, mailId, message)
    await deleteMail(ctx.db, mail.id)
    await retryFailedJobs(ctx.db, deliverMail)
  },
})

/** Sent, or refused for good: in both cases there is nothing left to do. */
async function handOver(ctx: Ctx, mailId: string, message: SendMailOptions): Promise<void> {
  beginSlowWork('mail')
  const facts = { 'latchkey.mail_id': mailId }
  try {
    await ctx.tracer.trace('send mail', { kind: 'client', facts }, async () => {
      const transport = await openTransport(ctx)
      return transport.sendMail(message)
    })
    ctx.figures.count(DELIVERIES, { outcome: 'sent' })
  } catch (error) {
    const isFinal = isRefusedForGood(error)
    ctx.figures.count(DELIVERIES, { outcome: isFinal ? 'refused' : 'failed' })
    if (!isFinal) throw error
    ctx.log.warn({ err: error, mailId }, 'mail refused by the mail server')
  }
}

const transports = new WeakMap<Ctx, Transporter>()

async function openTransport(ctx: Ctx): Promise<Transporter> {
  const { smtpUrl } = ctx.config.mail
  if (smtpUrl === undefined) throw new Error('SMTP_URL is not set')
  // Loaded by who sends mail.
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

/** A 5xx answer to the recipient or the message will not change by asking again (RFC 5321 §4.2.1). */
function isRefusedForGood(error: unknown): boolean {
  const { responseCode = 0, command = '' } = error as { responseCode?: number; command?: string }
  return responseCode >= 500 && ['RCPT TO', 'DATA', 'API'].includes(command)
}
