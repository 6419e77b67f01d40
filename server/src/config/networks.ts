import { isIP } from 'node:net'
import type { Reader } from './reader.ts'

/** Reads a comma-separated list of IP addresses and CIDR ranges. */
export function readNetworks(read: Reader, variable: string): string[] {
  const entries = (read.text(variable) ?? '').split(',').map((entry) => entry.trim())
  const networks = entries.filter((entry) => entry !== '')
  for (const network of networks) {
    const [address = '', bits, ...rest] = network.split('/')
    const family = isIP(address)
    const maxBits = family === 6 ? 128 : 32
    const isValid =
      family !== 0 && rest.length === 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= maxBits))
    if (!isValid) read.problems.push(`${variable} holds "${network}": it must be an IP address or a CIDR range.`)
  }
  return networks
}
