import { isUsable } from '../periods.ts'
import type { Explanation } from '../schema.ts'
import type { LicenseTypeWithSubscription, TenantSubscription } from './store.ts'

/** The API call that would change the result, as complete as the known facts allow. */
export type Remedy = Explanation['remedy']

/** A license type to which the tenant has a subscription. */
export type SubscribedLicenseType = LicenseTypeWithSubscription & { subscription: TenantSubscription }

const isSubscribed = (type: LicenseTypeWithSubscription): type is SubscribedLicenseType => type.subscription !== null

const toPeriod = ({ status, end }: TenantSubscription) => ({
  status,
  currentPeriodEnd: end === null ? null : new Date(end),
})

/** Splits the subscriptions into usable and lapsed ones. The lapsed one with the user's own seat comes first. */
export function splitByUsability(
  licenseTypes: LicenseTypeWithSubscription[],
  now: Date,
): { usable: SubscribedLicenseType[]; lapsed: SubscribedLicenseType[] } {
  const subscribed = licenseTypes.filter(isSubscribed)
  const isTypeUsable = ({ subscription }: SubscribedLicenseType) => isUsable(toPeriod(subscription), now)
  const compareOwnFirst = (a: SubscribedLicenseType, b: SubscribedLicenseType) =>
    Number(b.subscription.hasUserSeat) - Number(a.subscription.hasUserSeat)
  return {
    usable: subscribed.filter(isTypeUsable),
    lapsed: subscribed.filter((type) => !isTypeUsable(type)).sort(compareOwnFirst),
  }
}

const hasFreeSeat = ({ subscription: { purchased, taken } }: SubscribedLicenseType) => taken < purchased

/** The call that assigns a free seat of one of the license types or, if none is free, purchases one more. */
export function findSeatRemedy(
  usable: SubscribedLicenseType[],
  toAssignRemedy: (licenseTypeId: string) => Remedy,
): Remedy {
  const free = usable.find(hasFreeSeat)
  if (free) return toAssignRemedy(free.licenseTypeId)
  const [full] = usable
  return full ? toPurchaseRemedy(full.subscription) : null
}

const toPurchaseRemedy = ({ id, taken }: TenantSubscription): Remedy => ({
  method: 'PATCH',
  path: `/api/licensing/subscriptions/${id}`,
  body: { quantityPurchased: taken + 1 },
})

export const toSubscribeRemedy = (tenantId: string, licenseType: LicenseTypeWithSubscription | undefined): Remedy =>
  licenseType
    ? {
        method: 'POST',
        path: `/api/licensing/tenants/${tenantId}/subscriptions`,
        body: { licenseTypeId: licenseType.licenseTypeId, quantityPurchased: 1 },
      }
    : null

const MONTH_MS = 30 * 86_400_000

/** The call that renews a subscription. If its period is over, a new one of the same length starts now. */
export function toRenewRemedy({ subscription }: SubscribedLicenseType, now: Date): Remedy {
  const { id, start, end } = subscription
  const isOver = end !== null && new Date(end) <= now
  return {
    method: 'PATCH',
    path: `/api/licensing/subscriptions/${id}`,
    body: { status: 'ACTIVE', ...(isOver && { currentPeriodEnd: findNewEnd(start, end, now) }) },
  }
}

/** A period without a length is replaced by a month. */
function findNewEnd(start: string, end: string, now: Date): string {
  const previousMs = Date.parse(end) - Date.parse(start)
  return new Date(now.getTime() + (previousMs > 0 ? previousMs : MONTH_MS)).toISOString()
}

/** The call that adds the feature to the license type that the user holds. */
export const toAddFeatureRemedy = (
  { licenseTypeId, features }: LicenseTypeWithSubscription,
  featureKey: string,
): Remedy => ({
  method: 'PATCH',
  path: `/api/licensing/license-types/${licenseTypeId}`,
  body: { features: { ...features, [featureKey]: true } },
})
