/** Colours that can be read, by the measure of WCAG 2.2 §1.4.3. A colour is #rrggbb in small letters. */

/** What text needs against what is behind it. */
export const READABLE = 4.5

const COLOR = /^#[0-9a-f]{6}$/

export const isColor = (text: string): boolean => COLOR.test(text)

/** A colour to write and to fill buttons with, and the ink that can be read on it. */
export interface Accent {
  color: string
  ink: '#000000' | '#ffffff'
}

/**
 * The colour that comes nearest to the wanted one and can be read on the ground, where white or black can be read on
 * it. Hue and saturation stay; lightness moves away from the ground.
 */
export function readableOn(ground: string, wanted: string): Accent {
  const { hue, saturation, lightness } = toHsl(wanted)
  const end = luminance(ground) > 0.18 ? 0 : 1
  let color = wanted
  for (let step = 1; contrast(color, ground) < READABLE; step++) {
    color = fromHsl({ hue, saturation, lightness: lightness + ((end - lightness) * step) / STEPS })
  }
  return { color, ink: contrast(color, '#ffffff') >= READABLE ? '#ffffff' : '#000000' }
}

/** How finely a lightness is looked for. */
const STEPS = 200

/** From 1, the same, to 21, black on white. */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = toRgb(color).map((share) =>
    share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Shares of red, green and blue, from 0 to 1. */
const toRgb = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)

interface Hsl {
  /** In sixths of the circle. */
  hue: number
  saturation: number
  lightness: number
}

function toHsl(color: string): Hsl {
  const [red = 0, green = 0, blue = 0] = toRgb(color)
  const most = Math.max(red, green, blue)
  const least = Math.min(red, green, blue)
  const range = most - least
  const lightness = (most + least) / 2
  if (range === 0) return { hue: 0, saturation: 0, lightness }
  const saturation = range / (1 - Math.abs(2 * lightness - 1))
  if (most === red) return { hue: ((green - blue) / range + 6) % 6, saturation, lightness }
  return { hue: most === green ? (blue - red) / range + 2 : (red - green) / range + 4, saturation, lightness }
}

function fromHsl({ hue, saturation, lightness }: Hsl): string {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number) => {
    const place = (offset + hue * 2) % 12
    const share = lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1))
    return Math.round(share * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(0)}${channel(8)}${channel(4)}`
}
