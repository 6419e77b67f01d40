import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The path is the same from src and from dist. */
const css = readFileSync(fileURLToPath(new URL('../../src/ui/style.css', import.meta.url)), 'utf8')

/** The path contains a hash of the content, so that it can be cached forever. */
export const stylesheetPath = `/assets/style-${createHash('sha256').update(css).digest('hex').slice(0, 12)}.css`

export const stylesheet = {
  path: stylesheetPath,
  type: 'text/css; charset=utf-8',
  maxAge: 31_536_000,
  content: () => css,
}
