import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Asset } from '../http/define-route.ts'

/** Where the build puts the console: the same folder whether this runs from src or from dist. */
const FOLDER = fileURLToPath(new URL('../../public/', import.meta.url))

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** The page into which the console is loaded; undefined where it was not built. */
export function readShell(): string | undefined {
  const file = join(FOLDER, 'index.html')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** Scripts and styles of the console. Their names change with their content, so that they can be kept for ever. */
export function listFiles(): Asset[] {
  const folder = join(FOLDER, 'assets')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.flatMap((name) => {
    const type = TYPES[extname(name)]
    return type === undefined
      ? []
      : [toAsset(join(folder, name), { name, type, isSmaller: names.includes(`${name}.br`) })]
  })
}

function toAsset(
  file: string,
  { name, type, isSmaller }: { name: string; type: string; isSmaller: boolean },
): Asset {
  return {
    path: `/console/assets/${name}`,
    type,
    maxAge: 31_536_000,
    content: once(() => readFileSync(file)),
    ...(isSmaller && { compressed: once(() => readFileSync(`${file}.br`)) }),
  }
}

/** Read when it is first asked for, and kept. */
function once(read: () => Buffer): () => Buffer {
  let kept: Buffer | undefined
  return () => {
    kept ??= read()
    return kept
  }
}
