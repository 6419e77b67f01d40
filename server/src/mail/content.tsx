import { renderToString } from 'preact-render-to-string'
import type { Config } from '../config.ts'

/** The content of a mail before it is rendered. */
export interface MailContent {
  subject: string
  paragraphs: string[]
  /** A link to a page of the service. The path is appended to BASE_URL. */
  action?: { label: string; path: string }
}

export interface RenderedMail {
  subject: string
  text: string
  html: string
}

/** Renders the content as plain text and as HTML. */
export function renderMail({ baseUrl }: Config, content: MailContent): RenderedMail {
  const paragraphs = content.paragraphs.map(oneLine)
  const link = content.action && { label: content.action.label, url: baseUrl + content.action.path }
  const footer = `Sent by Latchkey at ${baseUrl}`
  const text = [...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : []), `--\n${footer}`].join('\n\n')
  const html = renderToString(<MailBody paragraphs={paragraphs} link={link} footer={footer} />)
  return { subject: oneLine(content.subject), text: `${text}\n`, html: `<!doctype html>${html}` }
}

/** A line break in a subject or paragraph would allow header or content injection. */
const oneLine = (text: string) => text.replace(/\p{Cc}+/gu, ' ').trim()

interface MailBodyProps {
  paragraphs: string[]
  link: { label: string; url: string } | undefined
  footer: string
}

// Mail clients ignore stylesheets, so the styles are inline.
const MailBody = ({ paragraphs, link, footer }: MailBodyProps) => (
  <html lang="en">
    <body style="margin:0;padding:32px 16px;background:#f6f7f9;color:#1b1f27;font:16px/1.55 sans-serif">
      <div style="max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border-radius:14px">
        {paragraphs.map((paragraph) => (
          <p key={paragraph} style="margin:0 0 16px">
            {paragraph}
          </p>
        ))}
        {link && (
          <p style="margin:24px 0">
            <a
              href={link.url}
              style="display:inline-block;padding:12px 20px;border-radius:8px;background:#2f4fc4;color:#ffffff;text-decoration:none;font-weight:600"
            >
              {link.label}
            </a>
          </p>
        )}
        <p style="margin:32px 0 0;color:#5b6372;font-size:13px">{footer}</p>
      </div>
    </body>
  </html>
)
