import { lookup, Resolver } from 'node:dns/promises'
import type { WebhookConfig } from '../../config.ts'
import { isInBlockList, isPublicAddress, toBlockList } from './networks.ts'

export interface Address {
  address: string
  family: number
}

/** Decides which addresses requests to a URL of a user may be sent to (protection against SSRF). */
export interface Guard {
  /** Public addresses with https; networks allowed by the operator also with http. */
  allows(address: string, protocol: string): boolean
  /** All addresses of a host name. */
  resolve(hostname: string, stop: AbortSignal): Promise<Address[]>
}

/** The time limit for a DNS query. */
const RESOLVER_OPTIONS = { timeout: 3_000, tries: 1 }
/** One resolver for each query, because `cancel` cancels all queries of a resolver. */
type NewResolver = () => Resolver

export function createGuard(
  { allowedNetworks }: WebhookConfig,
  newResolver: NewResolver = () => new Resolver(RESOLVER_OPTIONS),
): Guard {
  const allowed = toBlockList(allowedNetworks)
  const resolve = allowedNetworks.length > 0 ? resolveLocal : resolvePublic
  return {
    allows: (address, protocol) =>
      isInBlockList(allowed, address) || (protocol === 'https:' && isPublicAddress(address)),
    resolve: (hostname, stop) => resolve(newResolver(), hostname, stop),
  }
}

/**
 * Queries DNS directly. getaddrinfo would block one of the v4 libuv threads while a name server does not answer. A
 * name needs an A or an AAAA record, not both.
 */
async function resolvePublic(resolver: Resolver, hostname: string, stop: AbortSignal): Promise<Address[]> {
  stop.throwIfAborted()
  const cancel = () => resolver.cancel()
  stop.addEventListener('abort', cancel, { once: true })
  try {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    if (v4.status === 'rejected' && v6.status === 'rejected') {
      throw [v4.reason, v6.reason].find(isUnanswered) ?? v4.reason
    }
    const toAddresses = (result: PromiseSettledResult<string[]>, family: number) =>
      result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []
    return [...toAddresses(v4, 4), ...toAddresses(v6, 6)]
  } finally {
    stop.removeEventListener('abort', cancel)
  }
}

/** The name servers did not answer. */
const isUnanswered = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'ETIMEOUT' || code === 'ESERVFAIL' || code === 'ECANCELLED'

/**
 * In a private network the system resolver knows names that DNS does not: localhost, the hosts file, names without a
 * dot. It is not used for names whose name servers do not answer, because it would wait for them too.
 */
async function resolveLocal(resolver: Resolver, hostname: string, stop: AbortSignal): Promise<Address[]> {
  if (!hostname.includes('.')) return lookup(hostname, { all: true })
  try {
    return await resolvePublic(resolver, hostname, stop)
  } catch (error) {
    if (stop.aborted || isUnanswered(error as NodeJS.ErrnoException)) throw error
    return lookup(hostname, { all: true })
  }
}

/** Requests to this address are not allowed. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  /** The URL contains the IP address itself and not a host name. */
  readonly isIpLiteral: boolean
  constructor(isIpLiteral: boolean) {
    super()
    this.isIpLiteral = isIpLiteral
  }
}
