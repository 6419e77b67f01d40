import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type CityResponse, Reader } from 'mmdb-lib'
import { OperatorError } from '../errors.ts'

/** Where in the world an address is, such as "Berlin, Germany"; "Unknown" where nobody can say. */
export type PlaceOf = (address: string) => string

const UNKNOWN = 'Unknown'
/** Kinds of database that know countries; others have the same format and other contents. */
const USABLE = /city|country|enterprise/i

/** Reads a MaxMind database of cities or countries, once and for all. Without one, every place is unknown. */
export function openWhereabouts(path: string | undefined): PlaceOf {
  if (path === undefined) return () => UNKNOWN
  const reader = openReader(path)
  return (address) => {
    const plain = toPlainAddress(address)
    // The tree of an IPv4 database would take an IPv6 address for some other address.
    if (isIP(plain) === 0 || (isIP(plain) === 6 && reader.metadata.ipVersion === 4)) return UNKNOWN
    try {
      return describe(reader.get(plain))
    } catch {
      // A page of the file is damaged. A list of sessions without a place is better than none.
      return UNKNOWN
    }
  }
}

function openReader(path: string): Reader<CityResponse> {
  let content: Buffer
  try {
    content = readFileSync(path)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`GEOIP_DATABASE is ${path}: that file cannot be read (${reason}).`, {
      cause: error,
    })
  }
  let reader: Reader<CityResponse>
  try {
    reader = new Reader<CityResponse>(content)
  } catch (error) {
    throw new OperatorError(`GEOIP_DATABASE is ${path}: that is no MaxMind database (.mmdb).`, {
      cause: error,
    })
  }
  const { databaseType } = reader.metadata
  if (!USABLE.test(databaseType)) {
    throw new OperatorError(
      `GEOIP_DATABASE is ${path}: that is a database of the type ${databaseType}, not of cities or countries.`,
    )
  }
  return reader
}

/** Without the zone of a link-local address, and as IPv4 where IPv6 only wraps it. */
const toPlainAddress = (address: string): string =>
  address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '')

function describe(found: Partial<CityResponse> | null): string {
  const names = [found?.city?.names?.en, found?.country?.names?.en].filter((name) => name !== undefined)
  // A city that is a country is named once.
  return [...new Set(names)].join(', ') || UNKNOWN
}
