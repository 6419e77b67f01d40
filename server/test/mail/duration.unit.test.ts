import { expect, test } from 'vitest'
import { toDurationText } from '../../src/mail/texts/duration.ts'

test.each([
  [60, 'one minute'],
  [119, 'one minute'],
  [2_700, '45 minutes'],
  [3_600, 'one hour'],
  [5_400, '90 minutes'],
  [7_259, '2 hours'],
  [86_400, 'one day'],
  [129_600, '36 hours'],
  [604_800, '7 days'],
])('%i seconds are %s', (seconds, text) => {
  expect(toDurationText(seconds)).toBe(text)
})
