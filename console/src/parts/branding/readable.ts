/** Colors that can be read, as the hosted pages find them: by the measure of WCAG 2.2 §1.4.3. */

const READABLE = 4.5
const STEPS = 200

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

/** The color nearest to the wanted one that can be read on the ground, and the ink that can be read on it. */
export function readableOn(ground: string, wanted: string): { color: string; ink: string } {
  const [red = 0, green = 0, blue = 0] = toRgb(wanted)
  const end = luminance(ground) > 0.18 ? 0 : 1
  const most = Math.max(red, green, blue)
  const least = Math.min(red, green, blue)
  const lightness = (most + least) / 2
  const colors = Array.from({ length: STEPS + 1 }, (_, step) =>
    step === 0 ? wanted : atLightness(wanted, lightness + ((end - lightness) * step) / STEPS),
  )
  const color = colors.find((one) => contrast(one, ground) >= READABLE) ?? (end === 0 ? '#000000' : '#ffffff')
  return { color, ink: contrast(color, '#ffffff') >= READABLE ? '#ffffff' : '#000000' }
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = toRgb(color).map((share) =>
    share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const toRgb = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)

/** The same hue and saturation, lighter or darker. */
function atLightness(color: string, lightness: number): string {
  const rgb = toRgb(color)
  const [most, least] = [Math.max(...rgb), Math.min(...rgb)]
  const middle = (most + least) / 2
  const saturation = most === least ? 0 : (most - least) / (1 - Math.abs(2 * middle - 1))
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const channels = rgb.map((share) => {
    const place = most === least ? 0 : (2 * (share - least)) / (most - least) - 1
    return Math.round(255 * Math.min(1, Math.max(0, lightness + reach * place)))
  })
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}
