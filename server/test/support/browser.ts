import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where a browser is installed; undefined where there is none. CHROMIUM_PATH names another place. */
export const browserPath = [process.env.CHROMIUM_PATH, ...PLACES].find((path) => path && existsSync(path))

if (!browserPath && process.env.CI) throw new Error('CI must not skip the browser tests: install chromium.')
if (!browserPath)
  process.stderr.write('\nNo Chromium found: the browser tests are skipped. Set CHROMIUM_PATH to run them.\n')

/** A real browser that talks to nobody but us. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })
