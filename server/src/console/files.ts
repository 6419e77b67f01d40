import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kept, Shelf } from '../http/define-route.ts'

/** Where the build puts the console: the same folder whether this runs from src or from dist. */
const FOLDER = fileURLToPath(new URL('../../public/', import.meta.url))
const FILES = join(FOLDER, 'assets')

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** The page into which the console is loaded; undefined where it was not built. */
export function readShell(): string | undefined {
  const file = join(FOLDER, 'index.html')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** Scripts and styles of the console. Each is read when it is first asked for, and kept. */
export function consoleFiles(): Shelf {
  // Only what was there at the start: no name leads anywhere else.
  const names = new Set(existsSync(FILES) ? readdirSync(FILES) : [])
  const kept = new Map<string, Promise<Kept>>()
  return {
    path: '/console/assets/:name',
    param: 'name',
    async find(_, name) {
      const type = TYPES[extname(name)]
      if (type === undefined || !names.has(name)) return undefined
      const known = kept.get(name) ?? load(name, type)
      kept.set(name, known)
      return known
    },
  }
}

async function load(name: string, type: string): Promise<Kept> {
  const [body, compressed] = await Promise.all(
    [name, `${name}.br`].map((file) => readFile(join(FILES, file))),
  )
  return { type, body: body ?? '', ...(compressed && { compressed }) }
}
