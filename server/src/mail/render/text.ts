import { t } from '../../languages/translate.ts'
import { freeUrls } from '../quote-name.ts'
import type { MailContent } from './content.ts'

/** The usual width of plain-text mail (RFC 3676 §4.2 allows 78). */
const WIDTH = 72

/** The plain text of a mail: wrapped lines, and the link on a line of its own. */
export function renderText({ heading, paragraphs, facts, button, note, footer }: MailContent): string {
  const parts = [
    wrap(heading),
    ...paragraphs.map((paragraph) => wrap(paragraph)),
    ...(facts.length > 0
      ? [facts.map(({ label, value }) => wrap(freeUrls(t('{label}: {value}', { label, value })), '  ')).join('\n')]
      : []),
    ...(button.label === '' ? [] : [`${t('{label}:', { label: button.label })}\n${button.url}`]),
    ...(note === undefined ? [] : [wrap(note)]),
    `--\n${footer}`,
  ]
  return `${parts.join('\n\n')}\n`
}

/** French has a no-break space inside quotation marks. */
const SPACE = /[^\S\u00a0\u202f]+/

/** Breaks lines between words. A longer word keeps a line of its own. */
function wrap(text: string, indent = ''): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(SPACE)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && longer.length > WIDTH) {
      lines.push(line)
      line = indent + word
    } else line = longer
  }
  return [...lines, line].join('\n')
}
