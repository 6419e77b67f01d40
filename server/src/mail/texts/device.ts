import { BROWSER_MAP, parse } from 'bowser'
import { t } from '../../languages/translate.ts'
import { quoteName } from '../quote-name.ts'

const MAX_PROGRAM_LENGTH = 40

/** A User-Agent header in words, such as "Chrome on Linux". */
export function toDeviceText(userAgent: string): string {
  const program = userAgent.trim().split(/[/\s]/, 1)[0] ?? ''
  if (program === '') return t('Unknown device')
  const { browser, os } = parse(userAgent)
  if (browser.name && isKnownBrowser(browser.name) && os.name) {
    return t('{browser} on {system}', { browser: browser.name, system: os.name })
  }
  return program === 'Mozilla' ? t('Unknown device') : quoteName(program, MAX_PROGRAM_LENGTH)
}

/** For an unknown program, the parser returns some words of the header. */
const isKnownBrowser = (name: string): boolean => Object.values<string>(BROWSER_MAP).includes(name)
