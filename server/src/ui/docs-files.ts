import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import type { FileContent, StaticFolder } from '../http/routing/define-route.ts'

/** The output of bin/guide.mjs. The paths are the same from src and from dist. */
const BUILT = fileURLToPath(new URL('../../guide/', import.meta.url))
const STYLESHEET = fileURLToPath(new URL('../../src/ui/docs.css', import.meta.url))

/** Built files are stored with Brotli only. Undefined if the guide was not built. */
export function readBuiltFile(name: string): Buffer | undefined {
  const file = join(BUILT, `${name}.br`)
  return existsSync(file) ? readFileSync(file) : undefined
}

interface DocsFile extends FileContent {
  name: string
  compressed: Buffer
}

/** The name contains a hash of the content, so that the file can be cached forever. */
function createFile(kind: 'js' | 'css', body: Buffer, compressed: Buffer): DocsFile {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12)
  const type = kind === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8'
  return { name: `docs-${hash}.${kind}`, type, body, compressed }
}

let files: { script: DocsFile | undefined; stylesheet: DocsFile } | undefined

/** Read at the first use, because most processes never show the documentation. */
function loadFiles() {
  if (files) return files
  const css = readFileSync(STYLESHEET)
  const script = readBuiltFile('docs.js')
  files = {
    stylesheet: createFile('css', css, brotliCompressSync(css)),
    script: script && createFile('js', brotliDecompressSync(script), script),
  }
  return files
}

const FOLDER = '/assets/docs'

export const docsStylesheetPath = (): string => `${FOLDER}/${loadFiles().stylesheet.name}`

/** Undefined if the script was not built. The pages work without it. */
export function docsScriptPath(): string | undefined {
  const { script } = loadFiles()
  return script && `${FOLDER}/${script.name}`
}

/** The style sheet and the script of the API reference and the guide. */
export const docsFiles: StaticFolder = {
  path: `${FOLDER}/:name`,
  param: 'name',
  async find(_, name) {
    const { script, stylesheet } = loadFiles()
    return [stylesheet, script].find((file) => file?.name === name)
  },
}
