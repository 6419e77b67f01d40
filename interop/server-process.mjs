// A server that a suite starts.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Includes the time to compile. */
const START_TIMEOUT_MS = 600_000

/** Starts a server, and waits until it answers at the URL with any status. */
export async function startServer(command, args, { cwd, env = {}, url }) {
  // It gets a process group of its own, because a tool such as `go run` starts the server as another process.
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const ended = once(child, 'close')
  const kill = () => {
    try {
      process.kill(-child.pid, 'SIGTERM')
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
  }
  process.once('exit', kill)
  const stop = async () => {
    kill()
    await ended
    process.off('exit', kill)
  }
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!(await isUp(url))) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (hasEnded || Date.now() > deadline) {
      await stop()
      throw new Error(`"${[command, ...args].join(' ')}" did not start a server at ${url}:\n${output}`)
    }
    await sleep(100)
  }
  return { stop, readOutput: () => output }
}

const isUp = (url) =>
  fetch(url, { redirect: 'manual' }).then(
    () => true,
    () => false,
  )

export async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
