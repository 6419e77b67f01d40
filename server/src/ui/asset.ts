import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compress } from '../http/routing/cached-document.ts'

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

/**
 * A file that hosted pages load. Its path contains a hash of the content, so that it can be cached forever. It is
 * compressed at the first request.
 */
export function loadAsset(name: string, kind: keyof typeof TYPES) {
  // The path is the same from src and from dist.
  const body = readFileSync(fileURLToPath(new URL(`../../src/ui/${name}.${kind}`, import.meta.url)), 'utf8')
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12)
  let compressed: Promise<Buffer> | undefined
  return {
    path: `/assets/${name}-${hash}.${kind}`,
    type: TYPES[kind],
    maxAge: 31_536_000,
    async content() {
      compressed ??= compress(body)
      return { body, compressed: await compressed }
    },
  }
}
