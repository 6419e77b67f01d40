import { createContext } from 'preact'
import type { ThemeName } from './themes.ts'

/** The branding of a hosted page, shown instead of Latchkey. */
export interface Brand {
  name: string
  /** #rrggbb, as configured. */
  color: string | undefined
  /** Undefined: classic. */
  theme: ThemeName | undefined
  logo: { path: string; width: number; height: number } | undefined
}

/** The branding of the current page; undefined: none. */
export const BrandContext = createContext<Brand | undefined>(undefined)

const MAX_HEIGHT = 48
const MAX_WIDTH = 240

/** The display size of a logo, scaled down to the maximum if necessary. */
export function fitLogo({ width, height }: { width: number; height: number }): {
  width: number
  height: number
} {
  const scale = Math.min(1, MAX_HEIGHT / height, MAX_WIDTH / width)
  const toPixels = (length: number) => Math.max(1, Math.round(length * scale))
  return { width: toPixels(width), height: toPixels(height) }
}
