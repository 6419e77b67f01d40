import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type CityResponse, Reader } from 'mmdb-lib'
import { OperatorError } from '../errors.ts'

/** The location of an IP address, such as "Berlin, Germany", or "Unknown". */
export type Locate = (address: string) => string

export const UNKNOWN_LOCATION = 'Unknown'
/** The database types that contain countries. Others, such as ASN, use the same file format. */
const SUPPORTED_TYPES = /city|country|enterprise/i

/** Loads a MaxMind database of cities or countries into memory. Without one, every location is "Unknown". */
export function openGeoIp(path: string | undefined): Locate {
  if (path === undefined) return () => UNKNOWN_LOCATION
  const reader = openReader(path)
  return (address) => {
    const plain = toPlainAddress(address)
    // In an IPv4 database, an IPv6 address would match an unrelated entry.
    if (isIP(plain) === 0 || (isIP(plain) === 6 && reader.metadata.ipVersion === 4)) return UNKNOWN_LOCATION
    try {
      return describe(reader.get(plain))
    } catch {
      // The file is damaged at this entry. A session list without locations is better than an error.
      return UNKNOWN_LOCATION
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
  if (!SUPPORTED_TYPES.test(databaseType)) {
    throw new OperatorError(
      `GEOIP_DATABASE is ${path}: that is a database of the type ${databaseType}, not of cities or countries.`,
    )
  }
  return reader
}

/** Removes the zone of a link-local address and unwraps IPv4-mapped IPv6. */
const toPlainAddress = (address: string): string => address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '')

function describe(found: Partial<CityResponse> | null): string {
  const names = [found?.city?.names?.en, found?.country?.names?.en].filter((name) => name !== undefined)
  // A city state is named once.
  return [...new Set(names)].join(', ') || UNKNOWN_LOCATION
}
