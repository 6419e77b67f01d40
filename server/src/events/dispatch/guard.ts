import { lookup, Resolver } from 'node:dns/promises'
import type { WebhookConfig } from '../../config.ts'
import { isIn, isPublic, toBlockList } from '../../lib/networks.ts'

export interface Address {
  address: string
  family: number
}

/** To which addresses the service sends what others tell it to send. */
export interface Guard {
  /** Everything public by https; what operators have allowed of their own network also by http. */
  allows(address: string, protocol: string): boolean
  /** All addresses of a name. */
  resolve(hostname: string, stop: AbortSignal): Promise<Address[]>
}

/** How long a name server may take. */
const PATIENCE = { timeout: 3_000, tries: 1 }
/** One for each name, so that giving up on one gives up on no other. */
type NewResolver = () => Resolver

export function createGuard(
  { allowedNetworks }: WebhookConfig,
  newResolver: NewResolver = () => new Resolver(PATIENCE),
): Guard {
  const allowed = toBlockList(allowedNetworks)
  const resolve = allowedNetworks.length > 0 ? resolveNearby : resolvePublic
  return {
    allows: (address, protocol) => isIn(allowed, address) || (protocol === 'https:' && isPublic(address)),
    resolve: (hostname, stop) => resolve(newResolver(), hostname, stop),
  }
}

/**
 * Asks the name servers, and not the system: that would keep a thread for as long as they are silent, of which the
 * whole node has four. Either kind of address is enough.
 */
async function resolvePublic(resolver: Resolver, hostname: string, stop: AbortSignal): Promise<Address[]> {
  stop.throwIfAborted()
  const cancel = () => resolver.cancel()
  stop.addEventListener('abort', cancel, { once: true })
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    if (four.status === 'rejected' && six.status === 'rejected') {
      throw [four.reason, six.reason].find(isSilence) ?? four.reason
    }
    const toAddresses = (answer: PromiseSettledResult<string[]>, family: number) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
    return [...toAddresses(four, 4), ...toAddresses(six, 6)]
  } finally {
    stop.removeEventListener('abort', cancel)
  }
}

/** The name servers said nothing of the name, as those of anybody may. */
const isSilence = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'ETIMEOUT' || code === 'ESERVFAIL' || code === 'ECANCELLED'

/**
 * In a network of one's own the system knows names that no name server does: localhost, its file of hosts, those
 * without a dot. It is not asked for names whose servers are silent, for it would wait for them too.
 */
async function resolveNearby(resolver: Resolver, hostname: string, stop: AbortSignal): Promise<Address[]> {
  if (!hostname.includes('.')) return lookup(hostname, { all: true })
  try {
    return await resolvePublic(resolver, hostname, stop)
  } catch (error) {
    if (stop.aborted || isSilence(error as NodeJS.ErrnoException)) throw error
    return lookup(hostname, { all: true })
  }
}

/** The address is none to which anything is sent. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  /** Whether it stood in the address itself, and not behind a name. */
  readonly isWrittenOut: boolean
  constructor(isWrittenOut: boolean) {
    super()
    this.isWrittenOut = isWrittenOut
  }
}
