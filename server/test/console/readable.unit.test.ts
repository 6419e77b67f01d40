import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readableOn as shownOn } from '../../../console/src/parts/branding/readable.ts'
import { readableOn } from '../../src/lib/contrast.ts'
import { CARDS } from '../../src/ui/brand-sheet.ts'

const anyColor = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number) => `#${number.toString(16).padStart(6, '0')}`)

const channelsOf = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

/** Rounding may end beside it. */
const difference = (one: string, other: string): number =>
  Math.max(...channelsOf(one).map((channel, index) => Math.abs(channel - (channelsOf(other)[index] ?? 0))))

test.each(Object.entries(CARDS))('the preview shows the colors of the pages, on the %s card', (_, card) => {
  fc.assert(
    fc.property(anyColor, (wanted) => {
      const shown = shownOn(card, wanted)
      const real = readableOn(card, wanted)
      expect(difference(shown.color, real.color)).toBeLessThanOrEqual(2)
    }),
    { numRuns: 2_000 },
  )
})
