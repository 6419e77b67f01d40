/** The browser and operating system of a session. */
export interface Device {
  /** The browser or program; undefined if the User-Agent header does not name one. */
  program: string | undefined
  system: string | undefined
  kind: 'computer' | 'phone' | 'program'
}

/** The first match wins, because most browsers also name the browsers they derive from. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|OPiOS|Opera)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
]

const SYSTEMS: [RegExp, string][] = [
  [/\biPhone\b|\biPod\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMacintosh\b|\bMac OS X\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

const HANDHELD = ['iPhone', 'iPad', 'Android']
const MAX_NAME_LENGTH = 40

const findName = (names: [RegExp, string][], text: string) => names.find(([pattern]) => pattern.test(text))?.[1]

/** Parses a User-Agent header (RFC 9110 §10.1.5) for display only. */
export function parseUserAgent(userAgent: string): Device {
  const browser = findName(BROWSERS, userAgent)
  const system = findName(SYSTEMS, userAgent)
  if (browser === undefined && !userAgent.startsWith('Mozilla/')) {
    const [name = ''] = userAgent.trim().split(/[/\s]/, 1)
    return { program: name.slice(0, MAX_NAME_LENGTH) || undefined, system, kind: 'program' }
  }
  return { program: browser, system, kind: HANDHELD.includes(system ?? '') ? 'phone' : 'computer' }
}
