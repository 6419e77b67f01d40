import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The path is the same from src and from dist. */
const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url))

export const VERSION = (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version
