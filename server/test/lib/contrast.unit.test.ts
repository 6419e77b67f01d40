import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contrast, isColor, READABLE, readableOn } from '../../src/lib/contrast.ts'
import { CARDS } from '../../src/ui/brand-sheet.ts'

const anyColor = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number) => `#${number.toString(16).padStart(6, '0')}`)

test('the contrast of two colours is as WCAG 2.2 counts it', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  expect(contrast('#ffffff', '#777777')).toBe(contrast('#777777', '#ffffff'))
  expect(contrast('#3b5bdb', '#3b5bdb')).toBe(1)
})

describe.each(Object.entries(CARDS))('on the %s card', (theme, card) => {
  test('whatever colour is chosen can be read, and so can the ink on it', () => {
    fc.assert(
      fc.property(anyColor, (wanted) => {
        const { color, ink } = readableOn(card, wanted)
        expect(isColor(color)).toBe(true)
        expect(contrast(color, card)).toBeGreaterThanOrEqual(READABLE)
        expect(contrast(color, ink)).toBeGreaterThanOrEqual(READABLE)
      }),
      { numRuns: 2_000 },
    )
  })

  test('a colour that can be read stays as it is', () => {
    fc.assert(
      fc.property(anyColor, (wanted) => {
        fc.pre(contrast(wanted, card) >= READABLE)
        expect(readableOn(card, wanted).color).toBe(wanted)
      }),
    )
  })

  test('a colour that cannot be read keeps its hue', () => {
    fc.assert(
      fc.property(anyColor, (wanted) => {
        const made = channelsOf(readableOn(card, wanted).color)
        const order = channelsOf(wanted)
        // Rounding aside, what was the strongest of red, green and blue is so still.
        const strongest = order.indexOf(Math.max(...order))
        expect(made[strongest]).toBeGreaterThanOrEqual(Math.max(...made) - 1)
      }),
    )
  })

  test('is as the stylesheet has it', () => {
    const css = readFileSync(new URL('../../src/ui/style.css', import.meta.url), 'utf8')
    const [, light, dark] = /--card: light-dark\((#\w+), (#\w+)\)/.exec(css) ?? []
    expect({ light, dark }[theme]).toBe(card)
  })
})

test('our own accent can be read on both', () => {
  const css = readFileSync(new URL('../../src/ui/style.css', import.meta.url), 'utf8')
  const [, light = '', dark = ''] = /--accent: light-dark\((#\w+), (#\w+)\)/.exec(css) ?? []
  expect(contrast(light, CARDS.light)).toBeGreaterThanOrEqual(READABLE)
  expect(contrast(dark, CARDS.dark)).toBeGreaterThanOrEqual(READABLE)
})

const channelsOf = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
