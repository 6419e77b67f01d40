import { setTimeout as sleep } from 'node:timers/promises'
import { base } from './service.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
}

/** What the demo's mailbox holds for an address, newest first. */
export async function mailTo(address: string): Promise<Mail[]> {
  const query = new URLSearchParams({ to: address })
  const mails = (await (await fetch(`${base}/dev/mailbox/messages?${query}`)).json()) as Mail[]
  return mails.filter(({ to }) => to === address)
}

/** The newest mail of a subject, for what is sent a moment after it was asked for. */
export async function awaitMail(address: string, subject: string, patienceMs = 10_000): Promise<Mail> {
  const deadline = Date.now() + patienceMs
  while (Date.now() < deadline) {
    const mail = (await mailTo(address)).find((one) => one.subject === subject)
    if (mail) return mail
    await sleep(50)
  }
  throw new Error(`no mail "${subject}" has come to ${address}`)
}

/** The address that a mail leads to, if it leads to one that holds a token. */
export const linkIn = (mail: Mail | undefined): string | undefined =>
  mail?.text.match(/https?:\/\/\S+token=\S+/)?.[0]

export const tokenIn = (mail: Mail | undefined): string | undefined => {
  const link = linkIn(mail)
  return link === undefined ? undefined : (new URL(link).searchParams.get('token') ?? undefined)
}
