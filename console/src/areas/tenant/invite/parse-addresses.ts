/** The addresses of a pasted text, the words that are none, and the number of duplicates. */
export interface ParsedAddresses {
  addresses: string[]
  invalid: string[]
  duplicates: number
}

/** `Ada Lovelace <ada@example.com>`, where a quoted name may contain commas. */
const NAMED_ADDRESS = /(?:"[^"\n]*"|[^<>,;"\n])*<([^<>\n]*)>/g
const ADDRESS = /^[^\s@<>"(),;:]+@[^\s@<>"(),;:]+\.[^\s@<>"(),;:.]+$/

/** Extracts addresses from a list with any common separators. The service validates each one. */
export function parseAddresses(text: string): ParsedAddresses {
  const words = text
    .replace(NAMED_ADDRESS, '\n$1\n')
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^mailto:/i, '').replace(/^["'(]+|["').]+$/g, ''))
    .filter((word) => word !== '')
  const found = words.filter((word) => ADDRESS.test(word))
  const addresses = [...new Map(found.map((address) => [address.toLowerCase(), address])).values()]
  return {
    addresses,
    invalid: [...new Set(words.filter((word) => !ADDRESS.test(word)))],
    duplicates: found.length - addresses.length,
  }
}
