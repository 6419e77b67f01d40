/** Contrast correction (WCAG 2.2 §1.4.3), with the same algorithm as the hosted pages. */

export const MIN_CONTRAST = 4.5
const STEPS = 200

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

/** The nearest color with enough contrast on `background`, and a text color with enough contrast on it. */
export function readableOn(background: string, desired: string): { color: string; ink: string } {
  const [red = 0, green = 0, blue = 0] = toRgb(desired)
  const targetLightness = luminance(background) > 0.18 ? 0 : 1
  const max = Math.max(red, green, blue)
  const min = Math.min(red, green, blue)
  const lightness = (max + min) / 2
  const colors = Array.from({ length: STEPS + 1 }, (_, step) =>
    step === 0 ? desired : withLightness(desired, lightness + ((targetLightness - lightness) * step) / STEPS),
  )
  const color =
    colors.find((candidate) => contrast(candidate, background) >= MIN_CONTRAST) ??
    (targetLightness === 0 ? '#000000' : '#ffffff')
  return { color, ink: contrast(color, '#ffffff') >= MIN_CONTRAST ? '#ffffff' : '#000000' }
}

export function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = toRgb(color).map((share) =>
    share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const toRgb = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)

/** Changes the lightness and keeps hue and saturation. */
function withLightness(color: string, lightness: number): string {
  const rgb = toRgb(color)
  const [max, min] = [Math.max(...rgb), Math.min(...rgb)]
  const currentLightness = (max + min) / 2
  const saturation = max === min ? 0 : (max - min) / (1 - Math.abs(2 * currentLightness - 1))
  const amplitude = saturation * Math.min(lightness, 1 - lightness)
  const channels = rgb.map((share) => {
    const position = max === min ? 0 : (2 * (share - min)) / (max - min) - 1
    return Math.round(255 * Math.min(1, Math.max(0, lightness + amplitude * position)))
  })
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}
