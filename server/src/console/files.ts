import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileContent, StaticFolder } from '../http/routing/define-route.ts'

/** The build output of the console. The path is the same from src and from dist. */
const FOLDER = fileURLToPath(new URL('../../public/', import.meta.url))
const FILES = join(FOLDER, 'assets')

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** The HTML page of the console; undefined if it was not built. */
export function readConsolePage(): string | undefined {
  const file = join(FOLDER, 'index.html')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** Scripts and styles of the console. Each file is read on first use and cached. */
export function consoleFiles(): StaticFolder {
  // Only files that existed at the start, so that no name can reach another path.
  const names = new Set(existsSync(FILES) ? readdirSync(FILES) : [])
  const cache = new Map<string, Promise<FileContent>>()
  return {
    path: '/console/assets/:name',
    param: 'name',
    async find(_, name) {
      const type = TYPES[extname(name)]
      if (type === undefined || !names.has(name)) return undefined
      const content = cache.get(name) ?? load(name, type)
      cache.set(name, content)
      return content
    },
  }
}

async function load(name: string, type: string): Promise<FileContent> {
  const [body, compressed] = await Promise.all([name, `${name}.br`].map((file) => readFile(join(FILES, file))))
  return { type, body: body ?? '', ...(compressed && { compressed }) }
}
