// The real program, with the data of the demo.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { findFreePort } from './server-process.mjs'

export const LATCHKEY = fileURLToPath(new URL('../server/bin/latchkey.js', import.meta.url))
const START_TIMEOUT_MS = 300_000

/** Starts test mode (docs/test-mode.md) on a free port, with environment variables. */
export async function startTestMode(settings = {}) {
  const { url, stop } = await start(['demo', '--test', '--json'], settings, (line) => JSON.parse(line).baseUrl)
  return { url, stop, reset: () => reset(url) }
}

/** Starts the demo on a free port, with its data in a folder that commands of Latchkey can use too. */
export async function startDemo(dataFolder) {
  const env = { LATCHKEY_DATA_DIR: dataFolder, PORT: String(await findFreePort()) }
  const { url, stop } = await start(['demo'], env, (line) => /Latchkey is ready at (\S+)/.exec(line)?.[1])
  return { url, dataFolder, stop }
}

/** Starts the program, and waits for the line that contains its address. */
async function start(args, settings, findUrl) {
  const { PATH, TMPDIR } = process.env
  const child = spawn(process.execPath, [LATCHKEY, ...args], {
    env: { PATH, ...(TMPDIR && { TMPDIR }), DRAIN_DELAY_MS: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Also if this process ends while the program is starting.
  process.once('exit', () => child.kill('SIGTERM'))
  const ended = once(child, 'close')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  const timer = setTimeout(() => child.kill('SIGTERM'), START_TIMEOUT_MS)
  const url = await new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = findUrl(line)
      if (found) resolve(found)
    })
    ended.then(() => resolve(undefined))
  })
  clearTimeout(timer)
  if (url === undefined) throw new Error('Latchkey did not start. Its messages are above.')
  return { url, stop }
}

/** Brings back the data of the demo. */
async function reset(url) {
  const response = await fetch(`${url}/test/reset`, { method: 'POST' })
  if (!response.ok) throw new Error(`The reset returned ${response.status}: ${await response.text()}`)
}
