import { setTimeout as sleep } from 'node:timers/promises'
import { baseUrl } from './service.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
}

/** The mails in the demo mailbox for an address, newest first. */
export async function listMails(address: string): Promise<Mail[]> {
  const query = new URLSearchParams({ to: address })
  const mails = (await (await fetch(`${baseUrl}/dev/mailbox/messages?${query}`)).json()) as Mail[]
  return mails.filter(({ to }) => to === address)
}

/** Waits for a mail that is sent after the response, and returns the newest with this subject. */
export async function waitForMail(address: string, subject: string, timeoutMs = 10_000): Promise<Mail> {
  const deadline = Date.now() + timeoutMs
  while (Date.now() < deadline) {
    const mail = (await listMails(address)).find((one) => one.subject === subject)
    if (mail) return mail
    await sleep(50)
  }
  throw new Error(`no mail "${subject}" was sent to ${address}`)
}

/** The link with a token in a mail, if there is one. */
export const findLink = (mail: Mail | undefined): string | undefined => mail?.text.match(/https?:\/\/\S+token=\S+/)?.[0]

export const findToken = (mail: Mail | undefined): string | undefined => {
  const link = findLink(mail)
  return link === undefined ? undefined : (new URL(link).searchParams.get('token') ?? undefined)
}
