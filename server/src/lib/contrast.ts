/** Color contrast by WCAG 2.2 §1.4.3. Colors are lowercase #rrggbb. */

/** The minimum contrast ratio of text and background. */
export const MIN_CONTRAST = 4.5

const COLOR = /^#[0-9a-f]{6}$/

export const isColor = (text: string): boolean => COLOR.test(text)

/** A color for text and buttons, and the text color that is readable on it. */
export interface Accent {
  color: string
  ink: '#000000' | '#ffffff'
}

/**
 * The color nearest to the preferred one that is readable on the background. Hue and saturation stay the same; the
 * lightness moves away from the background.
 */
export function toReadableAccent(background: string, preferred: string): Accent {
  const { hue, saturation, lightness } = toHsl(preferred)
  const end = luminance(background) > 0.18 ? 0 : 1
  let color = preferred
  for (let step = 1; contrast(color, background) < MIN_CONTRAST; step++) {
    color = fromHsl({ hue, saturation, lightness: lightness + ((end - lightness) * step) / STEPS })
  }
  return { color, ink: contrast(color, '#ffffff') >= MIN_CONTRAST ? '#ffffff' : '#000000' }
}

/** The number of lightness steps to try. */
const STEPS = 200

/** The contrast ratio, from 1 (same color) to 21 (black on white). */
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

/** Red, green and blue, each from 0 to 1. */
const toRgb = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)

interface Hsl {
  /** From 0 to 6. */
  hue: number
  saturation: number
  lightness: number
}

function toHsl(color: string): Hsl {
  const [red = 0, green = 0, blue = 0] = toRgb(color)
  const max = Math.max(red, green, blue)
  const min = Math.min(red, green, blue)
  const range = max - min
  const lightness = (max + min) / 2
  if (range === 0) return { hue: 0, saturation: 0, lightness }
  const saturation = range / (1 - Math.abs(2 * lightness - 1))
  if (max === red) return { hue: ((green - blue) / range + 6) % 6, saturation, lightness }
  return { hue: max === green ? (blue - red) / range + 2 : (red - green) / range + 4, saturation, lightness }
}

function fromHsl({ hue, saturation, lightness }: Hsl): string {
  const amplitude = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number) => {
    const position = (offset + hue * 2) % 12
    const value = lightness - amplitude * Math.max(-1, Math.min(position - 3, 9 - position, 1))
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(0)}${channel(8)}${channel(4)}`
}
