/** What somebody pasted: addresses, what is none, and how many stood there more than once. */
export interface Pasted {
  addresses: string[]
  unclear: string[]
  repeated: number
}

/** `Ada Lovelace <ada@example.com>`, also with commas in a quoted name. */
const NAMED = /(?:"[^"\n]*"|[^<>,;"\n])*<([^<>\n]*)>/g
const ADDRESS = /^[^\s@<>"(),;:]+@[^\s@<>"(),;:]+\.[^\s@<>"(),;:.]+$/

/** Reads addresses out of a list in any of the ways people keep one. The service has the last word on each. */
export function readAddresses(text: string): Pasted {
  const words = text
    .replace(NAMED, '\n$1\n')
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^mailto:/i, '').replace(/^["'(]+|["').]+$/g, ''))
    .filter((word) => word !== '')
  const found = words.filter((word) => ADDRESS.test(word))
  const addresses = [...new Map(found.map((address) => [address.toLowerCase(), address])).values()]
  return {
    addresses,
    unclear: [...new Set(words.filter((word) => !ADDRESS.test(word)))],
    repeated: found.length - addresses.length,
  }
}
