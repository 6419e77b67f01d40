import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileContent, StaticFolder } from '../http/routing/define-route.ts'

/**
 * Figtree, the typeface of the hosted pages and of the console, as variable font files. The name of each file contains
 * the hash of its content, so that the stylesheets can name it and browsers can cache it forever. Both stylesheets use
 * the same addresses, so a browser that has seen the sign-in page needs no second download for the console.
 */

/** The path is the same from src and from dist. */
const FOLDER = fileURLToPath(new URL('../../src/ui/fonts/', import.meta.url))

const files = new Map<string, FileContent>(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.woff2'))
    .map((name) => [name, { type: 'font/woff2', body: readFileSync(join(FOLDER, name)) }]),
)

/** The file with the characters of English and most Western European languages. */
const latin = [...files.keys()].find((name) => /^figtree-latin-[0-9a-f]+\.woff2$/.test(name)) ?? ''

/** Preloaded by every page, so that the text is drawn once. */
export const mainFontPath = `/assets/fonts/${latin}`

export const fonts: StaticFolder = {
  path: '/assets/fonts/:name',
  param: 'name',
  find: async (_ctx, name) => files.get(name),
}
