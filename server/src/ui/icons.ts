import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { StaticFile } from '../http/routing/define-route.ts'

/** The icon of the product at the addresses where browsers and operating systems look for it. */

const DAY_S = 86_400

/** The path is the same from src and from dist. */
const read = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../src/ui/icons/${name}`, import.meta.url)))

const icon = (path: string, type: string, body: Buffer): StaticFile => ({
  path,
  type,
  maxAge: DAY_S,
  content: () => body,
})

/** The icon as a picture for where SVG is not shown, such as mails. */
export const productIcon = { type: 'image/png', width: 180, height: 180, body: read('apple-touch-icon.png') } as const

export const icons: StaticFile[] = [
  icon('/favicon.svg', 'image/svg+xml', read('icon.svg')),
  icon('/favicon.ico', 'image/x-icon', read('favicon.ico')),
  icon('/apple-touch-icon.png', productIcon.type, productIcon.body),
]
