// Background processes that outlive the command that started them. Each has a pid file.
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

/** The command line prefixed to run as the postgres user. */
export const asPostgres = (commandLine) => (isRoot ? [...AS_POSTGRES, ...commandLine] : commandLine)

/** Starts a background process. Its output goes to logs/<name>.log. */
export function start(name, [command, ...args], { env = {}, asPostgres: isPostgres = false } = {}) {
  mkdirSync(pidFolder, { recursive: true })
  mkdirSync(logFolder, { recursive: true })
  const output = openSync(join(logFolder, `${name}.log`), 'a')
  const commandLine = isPostgres ? asPostgres([command, ...args]) : [command, ...args]
  const child = spawn(commandLine[0], commandLine.slice(1), {
    cwd: '/',
    detached: true,
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', output, output],
  })
  if (child.pid === undefined) throw new Error(`${command} could not be started.`)
  child.unref()
  writeFileSync(join(pidFolder, name), `${child.pid} ${readStartTime(child.pid)}`)
  return child.pid
}

/** The start time of a process in clock ticks. Together with the pid it is unique. */
function readStartTime(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** The process id, or undefined if the process is not running. */
export function pidOf(name) {
  const file = join(pidFolder, name)
  if (!existsSync(file)) return undefined
  const [pid, startTime] = readFileSync(file, 'utf8').split(' ')
  return readStartTime(pid) === startTime && !isZombie(pid) ? Number(pid) : undefined
}

function isZombie(pid) {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return true
  }
}

export const listProcesses = () => (existsSync(pidFolder) ? readdirSync(pidFolder) : [])

/** Stops a process with a signal, and with SIGKILL after the timeout. */
export async function stop(name, { signal = 'SIGTERM', timeoutMs = 15_000 } = {}) {
  const pid = pidOf(name)
  if (pid !== undefined) {
    process.kill(pid, signal)
    const deadline = Date.now() + timeoutMs
    while (pidOf(name) !== undefined && Date.now() < deadline) await sleep(50)
    if (pidOf(name) !== undefined) process.kill(pid, 'SIGKILL')
    while (pidOf(name) !== undefined) await sleep(20)
  }
  rmSync(join(pidFolder, name), { force: true })
}

/** Waits until `check` returns a truthy value. */
export async function waitUntil(description, check, timeoutMs = 60_000) {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const result = await Promise.resolve(check()).catch(() => undefined)
    if (result) return result
    if (Date.now() > deadline) {
      throw new Error(`${description} did not happen within ${timeoutMs / 1_000} s; see ${logFolder}.`)
    }
    await sleep(100)
  }
}
