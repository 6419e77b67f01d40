import { createContext } from 'preact'

/** Whose pages these seem to be: what people see instead of our own name. */
export interface Brand {
  name: string
  /** #rrggbb, as it was chosen. */
  color: string | undefined
  logo: { path: string; width: number; height: number } | undefined
}

/** Known to the frame of every page, however deep; undefined: the page is our own. */
export const BrandContext = createContext<Brand | undefined>(undefined)

const HIGHEST = 48
const WIDEST = 240

/** How large a logo is shown: as it is, or as much smaller as it must be. */
export function fitLogo({ width, height }: { width: number; height: number }): {
  width: number
  height: number
} {
  const scale = Math.min(1, HIGHEST / height, WIDEST / width)
  const side = (length: number) => Math.max(1, Math.round(length * scale))
  return { width: side(width), height: side(height) }
}
