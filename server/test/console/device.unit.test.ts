import { expect, test } from 'vitest'
import { parseUserAgent } from '../../../console/src/lib/device.ts'

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0'

test.each<[userAgent: string, program: string | undefined, system: string | undefined, kind: string]>([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, 'Chrome', 'Windows', 'computer'],
  [`Mozilla/5.0 (Windows NT 10.0) ${CHROME} Safari/537.36 Edg/140.0.0.0`, 'Edge', 'Windows', 'computer'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${CHROME} Safari/537.36 OPR/120.0`, 'Opera', 'Linux', 'computer'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`, 'Chrome', 'ChromeOS', 'computer'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0', 'Firefox', 'Linux', 'computer'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    'Safari',
    'macOS',
    'computer',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari',
    'iPhone',
    'phone',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
    'Chrome',
    'iPad',
    'phone',
  ],
  [
    `Mozilla/5.0 (Linux; Android 15; SM-S921B) ${CHROME} SamsungBrowser/28.0 Mobile Safari/537.36`,
    'Samsung Internet',
    'Android',
    'phone',
  ],
  ['Mozilla/5.0 (compatible; Something)', undefined, undefined, 'computer'],
  ['curl/8.5.0', 'curl', undefined, 'program'],
  ['PostmanRuntime/7.43.0', 'PostmanRuntime', undefined, 'program'],
  ['node', 'node', undefined, 'program'],
  ['x'.repeat(200), 'x'.repeat(40), undefined, 'program'],
  ['', undefined, undefined, 'program'],
])('%s', (userAgent, program, system, kind) => {
  expect(parseUserAgent(userAgent)).toEqual({ program, system, kind })
})
