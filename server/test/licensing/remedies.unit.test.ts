import { expect, test } from 'vitest'
import { renew, seatRemedy, sell, sortOffers } from '../../src/licensing/explain/remedies.ts'
import type { Bought, Offer } from '../../src/licensing/explain/store.ts'

const NOW = new Date('2030-06-15T12:00:00Z')
const DAY = 86_400_000
const inDays = (days: number) => new Date(NOW.getTime() + days * DAY).toISOString()

const offer = (id: string, bought?: Partial<Bought>): Offer => ({
  ...{ licenseTypeId: id, slug: id, features: {} },
  subscription: bought
    ? {
        ...{ id: `of-${id}`, status: 'ACTIVE', start: inDays(-90), end: null },
        ...{ purchased: 1, taken: 0, isTheirs: false, ...bought },
      }
    : null,
})

const only = (found: Offer) => {
  const { good, lapsed } = sortOffers([found], NOW)
  const [one] = [...good, ...lapsed]
  if (!one) throw new Error('nothing was bought')
  return one
}

test('what has run out is renewed for whoever sits there before others', () => {
  const { good, lapsed } = sortOffers(
    [
      offer('unsold'),
      offer('good', { end: inDays(1) }),
      offer('late', { status: 'PAST_DUE', end: inDays(-6) }),
      offer('gone', { end: inDays(0) }),
      offer('theirs', { status: 'EXPIRED', isTheirs: true }),
    ],
    NOW,
  )
  expect(good.map(({ slug }) => slug)).toEqual(['good', 'late'])
  expect(lapsed.map(({ slug }) => slug)).toEqual(['theirs', 'gone'])
})

test.each([
  [
    'as long as it was good before',
    { start: inDays(-11), end: inDays(-1) },
    { currentPeriodEnd: inDays(10) },
  ],
  [
    'for a month where that is not known',
    { start: inDays(-1), end: inDays(-1) },
    { currentPeriodEnd: inDays(30) },
  ],
  ['to the end it has, where that is to come', { status: 'EXPIRED', end: inDays(5) } as const, {}],
  ['without an end, where it has none', { status: 'EXPIRED' } as const, {}],
])('what has run out is renewed %s', (_, bought, change) => {
  const remedy = renew(only(offer('one', bought)), NOW)
  expect(remedy).toEqual({
    method: 'PATCH',
    path: '/api/licensing/subscriptions/of-one',
    body: { status: 'ACTIVE', ...change },
  })
})

test('a seat that is free is given; where none is, one more is bought, beyond those who are borne with', () => {
  const give = (licenseTypeId: string) => ({ method: 'GIVE', path: licenseTypeId })
  const full = only(offer('full', { purchased: 2, taken: 5 }))
  expect(seatRemedy([full, only(offer('free', {}))], give)).toEqual({ method: 'GIVE', path: 'free' })
  expect(seatRemedy([full], give)).toMatchObject({
    path: expect.stringContaining('of-full'),
    body: { quantityPurchased: 6 },
  })
  expect(seatRemedy([], give)).toBeNull()
})

test('where there is nothing to sell, nothing is proposed', () => {
  expect(sell('tenant', undefined)).toBeNull()
})
