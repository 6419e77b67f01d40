import { expect, test } from 'vitest'
import {
  findSeatRemedy,
  splitByUsability,
  toRenewRemedy,
  toSubscribeRemedy,
} from '../../src/licensing/explain/remedies.ts'
import type { LicenseTypeWithSubscription, TenantSubscription } from '../../src/licensing/explain/store.ts'

const NOW = new Date('2030-06-15T12:00:00Z')
const DAY = 86_400_000
const inDays = (days: number) => new Date(NOW.getTime() + days * DAY).toISOString()

const newLicenseType = (id: string, subscription?: Partial<TenantSubscription>): LicenseTypeWithSubscription => ({
  licenseTypeId: id,
  slug: id,
  features: {},
  subscription: subscription
    ? {
        id: `of-${id}`,
        status: 'ACTIVE',
        start: inDays(-90),
        end: null,
        purchased: 1,
        taken: 0,
        hasUserSeat: false,
        ...subscription,
      }
    : null,
})

const requireSubscribed = (licenseType: LicenseTypeWithSubscription) => {
  const { usable, lapsed } = splitByUsability([licenseType], NOW)
  const [subscribed] = [...usable, ...lapsed]
  if (!subscribed) throw new Error('the license type has no subscription')
  return subscribed
}

test('the lapsed subscription with a seat of the user comes first', () => {
  const { usable, lapsed } = splitByUsability(
    [
      newLicenseType('unsold'),
      newLicenseType('good', { end: inDays(1) }),
      newLicenseType('late', { status: 'PAST_DUE', end: inDays(-6) }),
      newLicenseType('gone', { end: inDays(0) }),
      newLicenseType('theirs', { status: 'EXPIRED', hasUserSeat: true }),
    ],
    NOW,
  )
  expect(usable.map(({ slug }) => slug)).toEqual(['good', 'late'])
  expect(lapsed.map(({ slug }) => slug)).toEqual(['theirs', 'gone'])
})

test.each([
  ['for the length of the previous period', { start: inDays(-11), end: inDays(-1) }, { currentPeriodEnd: inDays(10) }],
  ['for a month if that is zero', { start: inDays(-1), end: inDays(-1) }, { currentPeriodEnd: inDays(30) }],
  ['until its end if that is in the future', { status: 'EXPIRED', end: inDays(5) } as const, {}],
  ['without an end if it has none', { status: 'EXPIRED' } as const, {}],
])('a lapsed subscription is renewed %s', (_, subscription, change) => {
  const remedy = toRenewRemedy(requireSubscribed(newLicenseType('one', subscription)), NOW)
  expect(remedy).toEqual({
    method: 'PATCH',
    path: '/api/licensing/subscriptions/of-one',
    body: { status: 'ACTIVE', ...change },
  })
})

test('a free seat is granted; if none is free, one more than are in use is purchased', () => {
  const toGrantRemedy = (licenseTypeId: string) => ({ method: 'GRANT', path: licenseTypeId })
  const full = requireSubscribed(newLicenseType('full', { purchased: 2, taken: 5 }))
  const free = requireSubscribed(newLicenseType('free', {}))
  expect(findSeatRemedy([full, free], toGrantRemedy)).toEqual({ method: 'GRANT', path: 'free' })
  expect(findSeatRemedy([full], toGrantRemedy)).toMatchObject({
    path: expect.stringContaining('of-full'),
    body: { quantityPurchased: 6 },
  })
  expect(findSeatRemedy([], toGrantRemedy)).toBeNull()
})

test('without a license type there is no remedy', () => {
  expect(toSubscribeRemedy('tenant', undefined)).toBeNull()
})
