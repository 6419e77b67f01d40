import { BlockList, isIP } from 'node:net'

/**
 * Which addresses are on the public internet. Whoever may tell the service where to send something must not reach
 * through it what only the service itself can reach: this machine, its network, the metadata of its cloud.
 */

/** What is not for everybody (RFC 6890 and the registries of IANA that followed it). */
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
/** All that is given out to the public so far; what lies outside is local, reserved or not there. */
const GLOBAL_6 = ['2000::/3']
const NOT_PUBLIC_6 = [
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
]

/** A list of addresses and ranges as one that can be asked. */
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

/** Whether an address is one that everybody can reach. One that leads to another in the end is judged by that. */
export function isPublic(address: string): boolean {
  const plain = toPlainAddress(address)
  if (isIP(plain) === 4) return !notPublic4.check(plain, 'ipv4')
  return isIP(plain) === 6 && global6.check(plain, 'ipv6') && !notPublic6.check(plain, 'ipv6')
}

export function isIn(list: BlockList, address: string): boolean {
  const plain = toPlainAddress(address)
  const family = isIP(plain)
  return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
}

/** In which IPv6 addresses an IPv4 address stands, and behind how many of the eight groups. */
const TUNNELS = [
  { prefix: [0, 0, 0, 0, 0, 0xffff], at: 6 }, // IPv4-mapped
  { prefix: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 }, // NAT64
  { prefix: [0x2002], at: 1 }, // 6to4
]

/** The IPv4 address that an IPv6 address stands for, or else the address itself. */
function toPlainAddress(address: string): string {
  if (isIP(address) !== 6) return address
  const groups = toGroups(address)
  const tunnel = TUNNELS.find(({ prefix }) => prefix.every((group, index) => groups[index] === group))
  if (!tunnel) return address
  const [high = 0, low = 0] = groups.slice(tunnel.at)
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

/** The eight numbers of an IPv6 address. */
function toGroups(address: string): number[] {
  // As URLs write it: hexadecimal throughout, and shortened at one place at most.
  const [head = '', tail] = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1).split('::')
  const parse = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [start, end] = [parse(head), parse(tail ?? '')]
  return [...start, ...Array.from({ length: 8 - start.length - end.length }, () => 0), ...end]
}
