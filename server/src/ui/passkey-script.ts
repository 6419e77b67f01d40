import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The path is the same from src and from dist. */
const script = readFileSync(fileURLToPath(new URL('../../src/ui/passkey.js', import.meta.url)), 'utf8')

/** The path contains a hash of the content, so that it can be cached forever. */
export const passkeyScriptPath = `/assets/passkey-${createHash('sha256').update(script).digest('hex').slice(0, 12)}.js`

export const passkeyScript = {
  path: passkeyScriptPath,
  type: 'text/javascript; charset=utf-8',
  maxAge: 31_536_000,
  content: () => script,
}
