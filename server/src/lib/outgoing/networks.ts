import { BlockList, isIP } from 'node:net'

/**
 * Detects addresses that are not on the public internet, to prevent server-side request forgery: a caller who chooses the
 * target of a request must not reach this machine, its network or the cloud's metadata service.
 */

/** Special-purpose networks (RFC 6890 and the IANA registries). */
const NOT_PUBLIC_4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by a carrier's customers
  '127.0.0.0/8', // this machine
  '169.254.0.0/16', // link-local, where clouds keep their metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
]
/** Global unicast. All other IPv6 addresses are local, reserved or unassigned. */
const GLOBAL_6 = ['2000::/3']
const NOT_PUBLIC_6 = [
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
]

export function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
  }
  return list
}

const notPublic4 = toBlockList(NOT_PUBLIC_4)
const notPublic6 = toBlockList(NOT_PUBLIC_6)
const global6 = toBlockList(GLOBAL_6)

/** True for addresses on the public internet. An IPv6 address that embeds an IPv4 address is judged by the latter. */
export function isPublicAddress(address: string): boolean {
  const plain = toPlainAddress(address)
  if (isIP(plain) === 4) return !notPublic4.check(plain, 'ipv4')
  return isIP(plain) === 6 && global6.check(plain, 'ipv6') && !notPublic6.check(plain, 'ipv6')
}

export function isInBlockList(list: BlockList, address: string): boolean {
  const plain = toPlainAddress(address)
  const family = isIP(plain)
  return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
}

/** IPv6 prefixes with an embedded IPv4 address, which starts at group `at` of eight. */
const EMBEDDED_IPV4 = [
  { prefix: [0, 0, 0, 0, 0, 0xffff], at: 6 }, // IPv4-mapped
  { prefix: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 }, // NAT64
  { prefix: [0x2002], at: 1 }, // 6to4
]

/** The embedded IPv4 address, or the address itself. */
function toPlainAddress(address: string): string {
  if (isIP(address) !== 6) return address
  const groups = toGroups(address)
  const embedded = EMBEDDED_IPV4.find(({ prefix }) => prefix.every((group, index) => groups[index] === group))
  if (!embedded) return address
  const [high = 0, low = 0] = groups.slice(embedded.at)
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

/** The eight groups of an IPv6 address. */
function toGroups(address: string): number[] {
  // The URL parser normalizes it: hexadecimal groups only, and at most one `::`.
  const [head = '', tail] = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1).split('::')
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [start, end] = [parse(head), parse(tail ?? '')]
  return [...start, ...Array.from({ length: 8 - start.length - end.length }, () => 0), ...end]
}
