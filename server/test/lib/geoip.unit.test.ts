import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { OperatorError } from '../../src/errors.ts'
import { openGeoIp } from '../../src/lib/geoip.ts'
import { buildMmdb } from '../support/mmdb.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-places-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function writeFile(content: Buffer | string): string {
  const path = join(folder, `${++files}.mmdb`)
  writeFileSync(path, content)
  return path
}

const named = (en: string) => ({ geoname_id: 1, names: { en, de: `${en} auf Deutsch` } })
const berlin = { city: named('Berlin'), country: { iso_code: 'DE', ...named('Germany') } }
const networks = {
  '81.2.69.0/24': berlin,
  '89.160.20.112/28': { country: { iso_code: 'SE', ...named('Sweden') } },
  '175.16.199.0/24': { city: named('Singapore'), country: named('Singapore') },
  '67.43.156.0/24': { registered_country: named('Bhutan') },
}
const cities = openGeoIp(
  writeFile(
    buildMmdb({
      type: 'GeoLite2-City',
      ipVersion: 6,
      networks: { ...networks, '2001:218::/32': { country: named('Japan') } },
    }),
  ),
)

test.each([
  ['81.2.69.160', 'Berlin, Germany'],
  ['81.2.69.0', 'Berlin, Germany'],
  ['81.2.70.0', 'Unknown'],
  ['::ffff:81.2.69.160', 'Berlin, Germany'],
  ['89.160.20.112', 'Sweden'],
  ['89.160.20.127', 'Sweden'],
  ['89.160.20.128', 'Unknown'],
  ['175.16.199.1', 'Singapore'],
  ['67.43.156.1', 'Unknown'],
  ['2001:218::1', 'Japan'],
  ['2001:219::1', 'Unknown'],
  ['fe80::1%eth0', 'Unknown'],
  ['127.0.0.1', 'Unknown'],
  ['::1', 'Unknown'],
  ['10.1.2.3', 'Unknown'],
  ['192.168.0.1', 'Unknown'],
  ['unknown', 'Unknown'],
  ['', 'Unknown'],
])('the location of %s is %s', (address, location) => {
  expect(cities(address)).toBe(location)
})

test('without a database every location is unknown', () => {
  expect(openGeoIp(undefined)('81.2.69.160')).toBe('Unknown')
})

test('an IPv4 database returns nothing for IPv6, even if the first bits match an IPv4 entry', () => {
  const locate = openGeoIp(writeFile(buildMmdb({ type: 'GeoLite2-City', ipVersion: 4, networks })))
  expect(locate('81.2.69.160')).toBe('Berlin, Germany')
  expect(locate('5102:45a0::1')).toBe('Unknown')
})

test('a damaged entry is an unknown location', () => {
  const content = buildMmdb({ type: 'GeoLite2-City', ipVersion: 4, networks: { '81.2.69.0/24': berlin } })
  // The extended type 0 does not exist.
  content[content.indexOf('city') - 2] = 0
  content[content.indexOf('city') - 1] = 0
  expect(openGeoIp(writeFile(content))('81.2.69.160')).toBe('Unknown')
})

test.each([
  ['does not exist', join(folder, 'nowhere.mmdb'), 'cannot be read'],
  ['is a folder', folder, 'cannot be read'],
  ['is empty', writeFile(''), 'no MaxMind database'],
  ['is text', writeFile('just some text, and no database'.repeat(100)), 'no MaxMind database'],
  [
    'is truncated',
    writeFile(buildMmdb({ type: 'GeoLite2-City', ipVersion: 6, networks }).subarray(0, 900)),
    'no MaxMind database',
  ],
  [
    'contains no locations',
    writeFile(buildMmdb({ type: 'GeoLite2-ASN', ipVersion: 6, networks: {} })),
    'a database of the type GeoLite2-ASN, not of cities or countries',
  ],
])('a file that %s is rejected with an operator error', (_, path, words) => {
  const open = () => openGeoIp(path)
  expect(open).toThrow(OperatorError)
  expect(open).toThrow(`GEOIP_DATABASE is ${path}: that`)
  expect(open).toThrow(words)
})
