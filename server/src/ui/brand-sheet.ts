import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { toReadableAccent } from '../lib/contrast.ts'
import { findThemeSheet } from './themes.ts'

/** The background colors behind the accent color, as in style.css. */
export const CARD_BACKGROUNDS = { light: '#ffffff', dark: '#1d2027' }

const NAME = /^brand-([0-9a-f]{6})-[0-9a-f]{8}\.css$/

/** CSS that overrides the accent color. The CSP forbids inline styles, so it is a file. */
function createCss(color: string): string {
  const light = toReadableAccent(CARD_BACKGROUNDS.light, color)
  const dark = toReadableAccent(CARD_BACKGROUNDS.dark, color)
  return `:root {
  --accent: light-dark(${light.color}, ${dark.color});
  --accent-ink: light-dark(${light.ink}, ${dark.ink});
}
`
}

interface Sheet {
  name: string
  body: string
}

/** Only rendered pages add to this cache, because anybody can request any color. */
const recentSheets = new LRUCache<string, Sheet>({ max: 500 })

/** The name contains a hash of the content, so that it can be cached forever. */
function createSheet(color: string): Sheet {
  const body = createCss(color)
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 8)
  return { name: `brand-${color.slice(1)}-${hash}.css`, body }
}

export function brandSheetPath(color: string): string {
  const sheet = recentSheets.get(color) ?? createSheet(color)
  recentSheets.set(color, sheet)
  return `/assets/${sheet.name}`
}

/** The sheets of colors, generated on request because the content depends on the color only, and of themes. */
export const brandSheets = {
  path: '/assets/:name',
  param: 'name',
  find: async (_ctx: unknown, name: string) => {
    const theme = findThemeSheet(name)
    if (theme !== undefined) return { type: 'text/css; charset=utf-8', body: theme }
    const [, digits] = NAME.exec(name) ?? []
    if (digits === undefined) return undefined
    const sheet = recentSheets.get(`#${digits}`) ?? createSheet(`#${digits}`)
    return sheet.name === name ? { type: 'text/css; charset=utf-8', body: sheet.body } : undefined
  },
}
