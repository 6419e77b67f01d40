import { lookup } from 'node:dns/promises'
import type { WebhookConfig } from '../../config.ts'
import { isIn, isPublic, toBlockList } from '../../lib/networks.ts'

/** To which addresses the service sends what others tell it to send. */
export interface Guard {
  /** Everything public by https; what operators have allowed of their own network also by http. */
  allows(address: string, protocol: string): boolean
  /** All addresses of a name. */
  resolve(hostname: string): Promise<{ address: string; family: number }[]>
}

export function createGuard({ allowedNetworks }: WebhookConfig): Guard {
  const allowed = toBlockList(allowedNetworks)
  return {
    allows: (address, protocol) => isIn(allowed, address) || (protocol === 'https:' && isPublic(address)),
    resolve: (hostname) => lookup(hostname, { all: true }),
  }
}

/** The address is none to which anything is sent. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}
