import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The same file whether this runs from src or from dist. */
const css = readFileSync(fileURLToPath(new URL('../../src/ui/style.css', import.meta.url)), 'utf8')

/** Its address changes with its content, so that it can be kept for ever. */
export const stylesheetPath = `/assets/style-${createHash('sha256').update(css).digest('hex').slice(0, 12)}.css`

export const stylesheet = {
  path: stylesheetPath,
  type: 'text/css; charset=utf-8',
  maxAge: 31_536_000,
  content: () => css,
}
