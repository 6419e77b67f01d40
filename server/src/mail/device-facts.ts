import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { clientAddress, clientUserAgent } from '../http/request/client-address.ts'
import { UNKNOWN_LOCATION } from '../lib/geoip.ts'
import type { MailFact } from './mail.ts'

/** Where a request came from. */
export interface RequestOrigin {
  address: string
  userAgent: string
}

export const toRequestOrigin = (request: FastifyRequest): RequestOrigin => ({
  address: clientAddress(request),
  userAgent: clientUserAgent(request),
})

/** The device, the place and the current time. Without a GeoIP database the place is only an address. */
export function createDeviceFacts(ctx: Ctx, { address, userAgent }: RequestOrigin): MailFact[] {
  const location = ctx.locate(address)
  return [
    { label: 'device', value: userAgent },
    ...(location === UNKNOWN_LOCATION ? [] : [{ label: 'location', value: location } as const]),
    { label: 'ipAddress', value: address },
    { label: 'time', value: ctx.now() },
  ]
}
