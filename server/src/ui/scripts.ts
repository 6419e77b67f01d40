import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A script of the hosted pages. Its path contains a hash of the content, so that it can be cached forever. */
function loadScript(name: string) {
  // The path is the same from src and from dist.
  const script = readFileSync(fileURLToPath(new URL(`../../src/ui/${name}.js`, import.meta.url)), 'utf8')
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 12)
  return {
    path: `/assets/${name}-${hash}.js`,
    type: 'text/javascript; charset=utf-8',
    maxAge: 31_536_000,
    content: () => script,
  }
}

/** What every form has: visible passwords, a pending state, and buttons to copy and print. */
export const formScript = loadScript('form')
export const passkeyScript = loadScript('passkey')
/** Carries the address that was typed to the next page. */
export const typedAddressScript = loadScript('typed-address')
/** Continues when a mailed link was followed, and counts down until the next mail. */
export const waitingScript = loadScript('waiting')

/** Posts the response to an authorization request. */
export const submitScript = loadScript('submit')

export const scripts = [formScript, passkeyScript, typedAddressScript, waitingScript, submitScript]
