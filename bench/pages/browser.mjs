import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const server = fileURLToPath(new URL('../../server/package.json', import.meta.url))
const { chromium } = createRequire(server)('playwright-core')

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export function openBrowser() {
  const executablePath = [process.env.CHROMIUM_PATH, ...PATHS].find((path) => path && existsSync(path))
  if (!executablePath) throw new Error('No Chromium found. Install one, or set CHROMIUM_PATH.')
  // Many containers do not support the Chromium sandbox. Only our own pages are opened.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update']
  return chromium.launch({ executablePath, args })
}
