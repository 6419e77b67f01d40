import { createHash } from 'node:crypto'
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

/** Its name changes with its content, so that it can be kept for ever. */
const nameOf = (color: string): string =>
  `brand-${color.slice(1)}-${createHash('sha256').update(sheetOf(color)).digest('hex').slice(0, 8)}.css`

export const brandSheetPath = (color: string): string => `/assets/${nameOf(color)}`

/** Made when it is asked for: there are as many as there are colours, and none is more than a colour. */
export const brandSheets = {
  path: '/assets/:name',
  param: 'name',
  find: async (_ctx: unknown, name: string) => {
    const [, digits] = NAME.exec(name) ?? []
    const color = `#${digits}`
    return digits !== undefined && nameOf(color) === name
      ? { type: 'text/css; charset=utf-8', body: sheetOf(color) }
      : undefined
  },
}
