import { isUsable } from '../periods.ts'
import type { Explanation } from '../schema.ts'
import type { Bought, Offer } from './store.ts'

/** The one call that would change something, with as much of it as is known. */
export type Remedy = Explanation['remedy']

/** An offer of which the tenant has bought something. */
export type BoughtOffer = Offer & { subscription: Bought }

const isBought = (offer: Offer): offer is BoughtOffer => offer.subscription !== null

const periodOf = ({ status, end }: Bought) => ({
  status,
  currentPeriodEnd: end === null ? null : new Date(end),
})

/** What the tenant has bought, apart: what is good now, and what has run out, the person's own first. */
export function sortOffers(offers: Offer[], now: Date): { good: BoughtOffer[]; lapsed: BoughtOffer[] } {
  const bought = offers.filter(isBought)
  const isGood = ({ subscription }: BoughtOffer) => isUsable(periodOf(subscription), now)
  const ownFirst = (a: BoughtOffer, b: BoughtOffer) =>
    Number(b.subscription.isTheirs) - Number(a.subscription.isTheirs)
  return {
    good: bought.filter(isGood),
    lapsed: bought.filter((offer) => !isGood(offer)).sort(ownFirst),
  }
}

const hasFree = ({ subscription: { purchased, taken } }: BoughtOffer) => taken < purchased

/** What a person needs to have a seat of one of these: what is given away, or one more to give. */
export function seatRemedy(good: BoughtOffer[], give: (licenseTypeId: string) => Remedy): Remedy {
  const free = good.find(hasFree)
  if (free) return give(free.licenseTypeId)
  const [full] = good
  return full ? addOne(full.subscription) : null
}

const addOne = ({ id, taken }: Bought): Remedy => ({
  method: 'PATCH',
  path: `/api/licensing/subscriptions/${id}`,
  body: { quantityPurchased: taken + 1 },
})

export const sell = (tenantId: string, offer: Offer | undefined): Remedy =>
  offer
    ? {
        method: 'POST',
        path: `/api/licensing/tenants/${tenantId}/subscriptions`,
        body: { licenseTypeId: offer.licenseTypeId, quantityPurchased: 1 },
      }
    : null

const MONTH_MS = 30 * 86_400_000

/** As long again as it was good for before, from now on. */
export function renew({ subscription }: BoughtOffer, now: Date): Remedy {
  const { id, start, end } = subscription
  const isOver = end !== null && new Date(end) <= now
  const before = end === null ? 0 : Date.parse(end) - Date.parse(start)
  const until = new Date(now.getTime() + (before > 0 ? before : MONTH_MS))
  return {
    method: 'PATCH',
    path: `/api/licensing/subscriptions/${id}`,
    body: { status: 'ACTIVE', ...(isOver && { currentPeriodEnd: until.toISOString() }) },
  }
}

/** The type that somebody holds learns what it cannot do yet. */
export const teach = ({ licenseTypeId, features }: Offer, featureKey: string): Remedy => ({
  method: 'PATCH',
  path: `/api/licensing/license-types/${licenseTypeId}`,
  body: { features: { ...features, [featureKey]: true } },
})
