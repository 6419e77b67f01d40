// The installed browser.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const DEFAULT_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** The path of the browser, if one is installed. */
export const findBrowser = () => [process.env.CHROMIUM_PATH, ...DEFAULT_PATHS].find((path) => path && existsSync(path))

/** A sentence that says that there is no browser, or undefined. */
export const findMissingBrowser = () =>
  findBrowser() ? undefined : 'Chromium is not installed (Debian package chromium), and CHROMIUM_PATH is not set.'

/** A browser without background network traffic. */
export const openBrowser = () =>
  chromium.launch({
    executablePath: findBrowser(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--no-first-run'],
  })
