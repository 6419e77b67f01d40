import { renderToString } from 'preact-render-to-string'
import type { Config } from '../config.ts'

/** What a mail says, before it has a form. */
export interface Letter {
  subject: string
  paragraphs: string[]
  /** The one thing to do. The path is of our own pages; the address always starts with BASE_URL. */
  action?: { label: string; path: string }
}

export interface RenderedLetter {
  subject: string
  text: string
  html: string
}

/** The letter as plain text and as HTML, from the same words. */
export function renderLetter({ baseUrl }: Config, letter: Letter): RenderedLetter {
  const paragraphs = letter.paragraphs.map(oneLine)
  const link = letter.action && { label: letter.action.label, url: baseUrl + letter.action.path }
  const footer = `Sent by Latchkey at ${baseUrl}`
  const text = [...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : []), `--\n${footer}`].join('\n\n')
  const html = renderToString(<LetterBody paragraphs={paragraphs} link={link} footer={footer} />)
  return { subject: oneLine(letter.subject), text: `${text}\n`, html: `<!doctype html>${html}` }
}

/** Subjects and paragraphs are one line each: a line break would start a new header, or a paragraph of somebody else's. */
const oneLine = (text: string) => text.replace(/\p{Cc}+/gu, ' ').trim()

interface LetterBodyProps {
  paragraphs: string[]
  link: { label: string; url: string } | undefined
  footer: string
}

// Mail programs ignore stylesheets, so the few styles stand inline.
const LetterBody = ({ paragraphs, link, footer }: LetterBodyProps) => (
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
