/** What a session was opened with, as people would say it. */
export interface Device {
  /** The browser or the program; undefined: it did not say. */
  program: string | undefined
  system: string | undefined
  kind: 'computer' | 'phone' | 'program'
}

/** The first that fits counts: most browsers also say the names of those they descend from. */
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
const LONGEST_NAME = 40

const findIn = (names: [RegExp, string][], text: string) => names.find(([pattern]) => pattern.test(text))?.[1]

/** Reads what a browser or a program says of itself (RFC 9110 §10.1.5). Nothing is to be decided by it. */
export function readDevice(userAgent: string): Device {
  const browser = findIn(BROWSERS, userAgent)
  const system = findIn(SYSTEMS, userAgent)
  if (browser === undefined && !userAgent.startsWith('Mozilla/')) {
    const [name = ''] = userAgent.trim().split(/[/\s]/, 1)
    return { program: name.slice(0, LONGEST_NAME) || undefined, system, kind: 'program' }
  }
  return { program: browser, system, kind: HANDHELD.includes(system ?? '') ? 'phone' : 'computer' }
}
