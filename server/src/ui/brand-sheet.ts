import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { readableOn } from '../lib/contrast.ts'

/** What stands behind the accent, as the stylesheet has it. */
export const CARDS = { light: '#ffffff', dark: '#1d2027' }

const NAME = /^brand-([0-9a-f]{6})-[0-9a-f]{8}\.css$/

/** The few rules that put a colour in place of ours. Pages may hold no style of their own, so it is a file. */
function sheetOf(color: string): string {
  const light = readableOn(CARDS.light, color)
  const dark = readableOn(CARDS.dark, color)
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

/** Those of which pages were shown lately. Strangers ask for any colour, but only pages fill it. */
const lately = new LRUCache<string, Sheet>({ max: 500 })

/** Its name changes with its content, so that it can be kept for ever. */
function makeSheet(color: string): Sheet {
  const body = sheetOf(color)
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 8)
  return { name: `brand-${color.slice(1)}-${hash}.css`, body }
}

export function brandSheetPath(color: string): string {
  const sheet = lately.get(color) ?? makeSheet(color)
  lately.set(color, sheet)
  return `/assets/${sheet.name}`
}

/** Made when it is asked for: there are as many as there are colours, and none is more than a colour. */
export const brandSheets = {
  path: '/assets/:name',
  param: 'name',
  find: async (_ctx: unknown, name: string) => {
    const [, digits] = NAME.exec(name) ?? []
    if (digits === undefined) return undefined
    const sheet = lately.get(`#${digits}`) ?? makeSheet(`#${digits}`)
    return sheet.name === name ? { type: 'text/css; charset=utf-8', body: sheet.body } : undefined
  },
}
