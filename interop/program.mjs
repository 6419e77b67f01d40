// The real program in test mode (docs/test-mode.md), with the data of the demo.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const LATCHKEY = fileURLToPath(new URL('../server/bin/latchkey.js', import.meta.url))
const START_TIMEOUT_MS = 300_000

/** Starts the program on a free port, and waits until it is ready. */
export async function startProgram() {
  const { PATH, TMPDIR } = process.env
  const child = spawn(process.execPath, [LATCHKEY, 'demo', '--test', '--json'], {
    env: { PATH, ...(TMPDIR && { TMPDIR }), DRAIN_DELAY_MS: '0' },
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
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended.then(() => [])])
  clearTimeout(timer)
  if (line === undefined) throw new Error('Latchkey did not start. Its messages are above.')
  const url = JSON.parse(line).baseUrl
  return { url, stop, reset: () => reset(url) }
}

/** Brings back the data of the demo. */
async function reset(url) {
  const response = await fetch(`${url}/test/reset`, { method: 'POST' })
  if (!response.ok) throw new Error(`The reset returned ${response.status}: ${await response.text()}`)
}
