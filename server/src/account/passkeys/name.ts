import { withoutIsolates } from '../../languages/isolate-arguments.ts'
import { t } from '../../languages/translate.ts'

/** Device names by user agent pattern; the first match applies. */
const DEVICES: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'Chromebook'],
  [/Macintosh/, 'Mac'],
  [/Linux/, 'Linux'],
]

/** The default name of a passkey, after the device it was created on. */
export function toDefaultName(userAgent = ''): string {
  const device = DEVICES.find(([pattern]) => pattern.test(userAgent))?.[1]
  return device === undefined ? t('Passkey') : withoutIsolates(t('Passkey on {device}', { device }))
}
