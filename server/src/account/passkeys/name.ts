/** What people call the devices that say this of themselves; the first that fits counts. */
const DEVICES: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'Chromebook'],
  [/Macintosh/, 'Mac'],
  [/Linux/, 'Linux'],
]

/** A name for a passkey that was given none, after the device it was made on. */
export function nameFor(userAgent = ''): string {
  const device = DEVICES.find(([pattern]) => pattern.test(userAgent))?.[1]
  return device === undefined ? 'Passkey' : `Passkey on ${device}`
}
