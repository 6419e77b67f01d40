import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The same file whether this runs from src or from dist. */
const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url))

export const VERSION = (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version
