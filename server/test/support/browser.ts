import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const DEFAULT_PATHS = [
  // The same engine without a user interface starts and loads pages with less work.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The path of the installed browser, if any. CHROMIUM_PATH overrides it. */
export const browserPath = [process.env.CHROMIUM_PATH, ...DEFAULT_PATHS].find((path) => path && existsSync(path))

if (!browserPath && process.env.CI) throw new Error('CI must not skip the browser tests: install chromium.')
if (!browserPath)
  process.stderr.write('\nNo Chromium found: the browser tests are skipped. Set CHROMIUM_PATH to run them.\n')

/** A real browser without background network traffic. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-software-rasterizer',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })
