import type { Operation } from 'latchkey-sdk'
import type { LicensedApplication, LicensedType, SeatOfMember } from 'latchkey-sdk/types'

export type { LicensedApplication, LicensedType, SeatOfMember }

export type License = NonNullable<SeatOfMember['license']>

export const HOLDINGS = 'GET /api/tenants/{id}/licenses'
export const SEATS = 'GET /api/tenants/{id}/licenses/{applicationId}/seats'
export const USAGE = 'GET /api/tenants/{id}/licenses/{applicationId}/usage'

/** What looks different once a seat has changed hands. */
export const SEAT_READINGS: Operation[] = [HOLDINGS, SEATS, USAGE]

/** Whether its seats can be used at this moment. */
export const isGood = ({ status }: LicensedType): boolean => status !== null && status !== 'EXPIRED'

/** How many of its seats can be given at this moment. */
export const leftOf = (type: LicensedType): number => (isGood(type) ? type.available : 0)
