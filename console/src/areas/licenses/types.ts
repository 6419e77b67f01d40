import type { Operation } from '@latchkey/client'
import type { LicensedApplication, LicensedType, MemberSeat } from '@latchkey/client/types'

export type { LicensedApplication, LicensedType, MemberSeat }

export type License = NonNullable<MemberSeat['license']>

export const TENANT_LICENSES = 'GET /api/tenants/{id}/licenses'
export const SEATS = 'GET /api/tenants/{id}/licenses/{applicationId}/seats'
export const USAGE = 'GET /api/tenants/{id}/licenses/{applicationId}/usage'

/** Queries whose data a seat change affects. */
export const SEAT_QUERIES: Operation[] = [TENANT_LICENSES, SEATS, USAGE]

/** Whether the subscription is usable now. */
export const isUsable = ({ status }: LicensedType): boolean => status !== null && status !== 'EXPIRED'

/** The number of seats that can be granted now. */
export const grantableSeats = (type: LicensedType): number => (isUsable(type) ? type.available : 0)
