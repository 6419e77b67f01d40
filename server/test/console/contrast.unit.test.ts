import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readableOn as previewReadableOn } from '../../../console/src/parts/branding/contrast.ts'
import { toReadableAccent } from '../../src/lib/contrast.ts'
import { CARD_BACKGROUNDS } from '../../src/ui/brand-sheet.ts'

const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`)

const channelsOf = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

/** The largest channel difference. Rounding may differ by one step. */
const difference = (a: string, b: string): number =>
  Math.max(...channelsOf(a).map((channel, index) => Math.abs(channel - (channelsOf(b)[index] ?? 0))))

test.each(Object.entries(CARD_BACKGROUNDS))(
  'the preview uses the same colors as the hosted pages on the %s card',
  (_, card) => {
    fc.assert(
      fc.property(anyColor, (desired) => {
        const shown = previewReadableOn(card, desired)
        const real = toReadableAccent(card, desired)
        expect(difference(shown.color, real.color)).toBeLessThanOrEqual(2)
      }),
      { numRuns: 2_000 },
    )
  },
)
