import { createHash } from 'node:crypto'
import { LOGO_SRC } from './html.tsx'
import type { RenderedMail } from './render-mail.ts'

/** The HTML of a mail as a document of its own, with the logo inside. */
export function toDocument({ html }: RenderedMail, logo: { logo: Buffer; type: string } | undefined): string {
  if (!logo) return html
  // With its quotation marks, which are escaped in texts: a text may contain the address of the logo.
  return html.replace(`src="${LOGO_SRC}"`, `src="data:${logo.type};base64,${logo.logo.toString('base64')}"`)
}

/** The hashes that allow exactly the inline styles of a rendered mail in a Content-Security-Policy. */
export function listStyleHashes(html: string): string[] {
  const attributes = [...html.matchAll(/ style="([^"]*)"/g)].map(([, css = '']) => css)
  const elements = [...html.matchAll(/<style>([^<]*)<\/style>/g)].map(([, css = '']) => css)
  return [...new Set([...attributes, ...elements])].map(
    (css) => `sha256-${createHash('sha256').update(css).digest('base64')}`,
  )
}
