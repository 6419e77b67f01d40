import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contrast, isColor, MIN_CONTRAST, toReadableAccent } from '../../src/lib/contrast.ts'
import { CARD_BACKGROUNDS } from '../../src/ui/brand-sheet.ts'

const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`)

test('the contrast ratio follows WCAG 2.2', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  expect(contrast('#ffffff', '#777777')).toBe(contrast('#777777', '#ffffff'))
  expect(contrast('#3b5bdb', '#3b5bdb')).toBe(1)
})

describe.each(Object.entries(CARD_BACKGROUNDS))('on the %s card', (theme, card) => {
  test('every chosen color becomes readable, with a readable text color on it', () => {
    fc.assert(
      fc.property(anyColor, (wanted) => {
        const { color, ink } = toReadableAccent(card, wanted)
        expect(isColor(color)).toBe(true)
        expect(contrast(color, card)).toBeGreaterThanOrEqual(MIN_CONTRAST)
        expect(contrast(color, ink)).toBeGreaterThanOrEqual(MIN_CONTRAST)
      }),
      { numRuns: 2_000 },
    )
  })

  test('a readable color is not changed', () => {
    fc.assert(
      fc.property(anyColor, (wanted) => {
        fc.pre(contrast(wanted, card) >= MIN_CONTRAST)
        expect(toReadableAccent(card, wanted).color).toBe(wanted)
      }),
    )
  })

  test('an adjusted color keeps its hue', () => {
    fc.assert(
      fc.property(anyColor, (wanted) => {
        const adjusted = channelsOf(toReadableAccent(card, wanted).color)
        const original = channelsOf(wanted)
        // Except for rounding, the strongest of red, green and blue stays the strongest.
        const strongest = original.indexOf(Math.max(...original))
        expect(adjusted[strongest]).toBeGreaterThanOrEqual(Math.max(...adjusted) - 1)
      }),
    )
  })

  test('the constant equals the color in the stylesheet', () => {
    const css = readFileSync(new URL('../../src/ui/style.css', import.meta.url), 'utf8')
    const [, light, dark] = /--card: light-dark\((#\w+), (#\w+)\)/.exec(css) ?? []
    expect({ light, dark }[theme]).toBe(card)
  })
})

test('the default accent color is readable on both cards', () => {
  const css = readFileSync(new URL('../../src/ui/style.css', import.meta.url), 'utf8')
  const [, light = '', dark = ''] = /--accent: light-dark\((#\w+), (#\w+)\)/.exec(css) ?? []
  expect(contrast(light, CARD_BACKGROUNDS.light)).toBeGreaterThanOrEqual(MIN_CONTRAST)
  expect(contrast(dark, CARD_BACKGROUNDS.dark)).toBeGreaterThanOrEqual(MIN_CONTRAST)
})

const channelsOf = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
