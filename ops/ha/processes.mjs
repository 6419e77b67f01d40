// Programs that go on when the command that started them has ended. A file for each holds its process id.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FOLDER } from './settings.mjs'

const pidFolder = join(FOLDER, 'pids')
const logFolder = join(FOLDER, 'logs')

/** PostgreSQL does not run as root. */
export const isRoot = userInfo().uid === 0
const AS_POSTGRES = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups']

/** A command line that runs as somebody who may run PostgreSQL. */
export const asPostgres = (line) => (isRoot ? [...AS_POSTGRES, ...line] : line)

/** Starts a program in the background; what it prints is kept in logs/<name>.log. */
export function start(name, [command, ...args], { env = {}, asPostgres: isPostgres = false } = {}) {
  mkdirSync(pidFolder, { recursive: true })
  mkdirSync(logFolder, { recursive: true })
  const output = openSync(join(logFolder, `${name}.log`), 'a')
  const line = isPostgres ? asPostgres([command, ...args]) : [command, ...args]
  const child = spawn(line[0], line.slice(1), {
    cwd: '/',
    detached: true,
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', output, output],
  })
  if (child.pid === undefined) throw new Error(`${command} could not be started.`)
  child.unref()
  writeFileSync(join(pidFolder, name), `${child.pid} ${startOf(child.pid)}`)
  return child.pid
}

/** When a process began, in the clock ticks of the kernel: with its id, that names it for good. */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** The process id of a program that runs. */
export function pidOf(name) {
  const file = join(pidFolder, name)
  if (!existsSync(file)) return undefined
  const [pid, began] = readFileSync(file, 'utf8').split(' ')
  return startOf(pid) === began && !isZombie(pid) ? Number(pid) : undefined
}

function isZombie(pid) {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return true
  }
}

export const names = () => (existsSync(pidFolder) ? readdirSync(pidFolder) : [])

/** Ends a program: with a signal first, and by force after a while. */
export async function stop(name, { signal = 'SIGTERM', patienceMs = 15_000 } = {}) {
  const pid = pidOf(name)
  if (pid !== undefined) {
    process.kill(pid, signal)
    const deadline = Date.now() + patienceMs
    while (pidOf(name) !== undefined && Date.now() < deadline) await sleep(50)
    if (pidOf(name) !== undefined) process.kill(pid, 'SIGKILL')
    while (pidOf(name) !== undefined) await sleep(20)
  }
  rmSync(join(pidFolder, name), { force: true })
}

/** Waits for something to hold. */
export async function until(what, check, patienceMs = 60_000) {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const result = await Promise.resolve(check()).catch(() => undefined)
    if (result) return result
    if (Date.now() > deadline) {
      throw new Error(`${what} did not happen within ${patienceMs / 1_000} s; see ${logFolder}.`)
    }
    await sleep(100)
  }
}
