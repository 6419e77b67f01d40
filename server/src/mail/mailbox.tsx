import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { definePage, defineRoute } from '../http/routing/define-route.ts'
import { Timestamp } from '../http/routing/schema.ts'
import { isId } from '../lib/ids.ts'
import { Layout } from '../ui/layout.tsx'
import { render } from '../ui/render.ts'
import { loadMailLogo } from './logo.ts'
import { unsealMail } from './outbox.ts'
import { listStyleHashes, toDocument } from './render/document.ts'
import { findMail, listNewestMail } from './store.ts'

const MAX_MESSAGES = 200
/** Shows one mail as mail programs do. */
const HTML_PATH = '/dev/mailbox/html'

const Message = Type.Object(
  {
    id: Type.String(),
    to: Type.String(),
    subject: Type.String(),
    text: Type.String(),
    html: Type.String(),
    createdAt: Timestamp,
  },
  { title: 'MailboxMessage' },
)

const MailboxQuery = Type.Object(
  { to: Type.Optional(Type.String({ maxLength: 320, description: 'Only mail to this address' })) },
  { title: 'MailboxQuery' },
)

async function listMessages(ctx: Ctx, to?: string) {
  const mails = await listNewestMail(ctx.db, { to, limit: MAX_MESSAGES })
  return mails.map((mail) => ({
    id: mail.id,
    to: mail.recipient,
    ...unsealMail(ctx, mail),
    createdAt: mail.created_at.toISOString(),
  }))
}

/** The mailbox of the demo, which shows mail instead of sending it. */
export const mailboxRoutes = [
  defineRoute({
    method: 'GET',
    path: '/dev/mailbox/messages',
    operationId: 'listMailboxMessages',
    tag: 'Demo',
    summary: 'The mail the demo would have sent, newest first',
    caller: 'anyone',
    query: MailboxQuery,
    reply: { 200: Type.Array(Message) },
    handler: (ctx, { query }) => listMessages(ctx, query.to),
  }),
]

export const mailboxPages = [
  definePage({
    method: 'GET',
    path: '/dev/mailbox',
    handler: async (ctx) => ({
      html: render(<MailboxPage messages={await listMessages(ctx)} baseUrl={ctx.config.baseUrl} />),
      frames: true,
    }),
  }),
  definePage({
    method: 'GET',
    path: HTML_PATH,
    async handler(ctx, { query }) {
      const id = query.get('id')
      const stored = id !== undefined && isId(id) ? await findMail(ctx.db, id) : undefined
      if (!stored) throw new AppError('NOT_FOUND')
      const mail = unsealMail(ctx, stored)
      const html = toDocument(mail, mail.logo === undefined ? undefined : await loadMailLogo(ctx.db, mail.logo))
      return { html, framed: { styleHashes: listStyleHashes(html) } }
    },
  }),
]

type Messages = Awaited<ReturnType<typeof listMessages>>

const MailboxPage = ({ messages, baseUrl }: { messages: Messages; baseUrl: string }) => (
  <Layout title="Mailbox" wide>
    <h1>Mailbox</h1>
    <p class="quiet">Mail of the demo. Nothing is sent; set SMTP_URL to send it for real.</p>
    {messages.length === 0 && <p>No mail yet.</p>}
    {messages.map(({ id, to, subject, text, createdAt }) => (
      <article key={id}>
        <h2 dir="auto">{subject}</h2>
        <p class="quiet">
          To {to} · <time dateTime={createdAt}>{createdAt.replace('T', ' ').slice(0, 19)} UTC</time>
        </p>
        <div class="mail">
          <pre dir="auto">{linkUrls(text, baseUrl)}</pre>
          <iframe
            src={`${HTML_PATH}?id=${id}`}
            title={`${subject} (HTML)`}
            sandbox="allow-popups allow-popups-to-escape-sandbox"
            loading="lazy"
          />
        </div>
      </article>
    ))}
  </Layout>
)

/** Turns URLs of the service into links. */
function linkUrls(text: string, baseUrl: string) {
  return text.split(/(\s+)/).map((word, index) =>
    word.startsWith(`${baseUrl}/`) ? (
      <a key={index} href={word}>
        {word}
      </a>
    ) : (
      word
    ),
  )
}
