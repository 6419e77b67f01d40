import { BROWSER_MAP, parse } from 'bowser'
import { quoteName } from '../quote-name.ts'
import { fillTemplate } from '../template.ts'
import { PHRASES } from './phrases.ts'

const MAX_PROGRAM_LENGTH = 40

/** A User-Agent header in words, such as "Chrome on Linux". */
export function toDeviceText(userAgent: string): string {
  const program = userAgent.trim().split(/[/\s]/, 1)[0] ?? ''
  if (program === '') return PHRASES.unknownDevice
  const { browser, os } = parse(userAgent)
  if (isKnownBrowser(browser.name) && os.name) {
    return fillTemplate(PHRASES.device, { browser: browser.name, system: os.name })
  }
  return program === 'Mozilla' ? PHRASES.unknownDevice : quoteName(program, MAX_PROGRAM_LENGTH)
}

/** For an unknown program, the parser returns some words of the header. */
const isKnownBrowser = (name = ''): boolean => Object.values<string>(BROWSER_MAP).includes(name)
