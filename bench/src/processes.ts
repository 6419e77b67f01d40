import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** CPU time and memory of processes, from /proc. On other systems than Linux they are NaN, and the tables show a dash. */

const isLinux = process.platform === 'linux'

const ticksPerSecond = isLinux ? Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) : Number.NaN

interface Process {
  pid: number
  parent: number
  /** Of all threads, and of child processes that have ended. */
  cpuSeconds: number
}

function readProcess(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name is in parentheses and may contain any character. The state and the parent follow it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { pid, parent: Number(fields[1]), cpuSeconds: ticks / ticksPerSecond }
  } catch {
    // It ended after the list was read.
    return undefined
  }
}

function listProcesses(): Process[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.map(readProcess).filter((process) => process !== undefined)
}

/** A process and its descendants with the same executable: a service with its workers, but not its database. */
function listProcessTree(root: number): Process[] {
  const all = listProcesses()
  const executable = findExecutable(root)
  const tree = all.filter(({ pid }) => pid === root)
  for (const member of tree) {
    tree.push(...all.filter(({ pid, parent }) => parent === member.pid && findExecutable(pid) === executable))
  }
  return tree
}

function findExecutable(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return undefined
  }
}

/** CPU seconds of a process tree so far. */
export const cpuSecondsOf = (pid: number): number =>
  isLinux ? listProcessTree(pid).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) : Number.NaN

/** CPU seconds of the bench and of its child processes that have ended, such as wrk. */
export function loadGeneratorCpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return readProcess(process.pid)?.cpuSeconds ?? (user + system) / 1e6
}

/** Resident memory of a process tree, in MB. */
export function residentMbOf(pid: number): number {
  if (!isLinux) return Number.NaN
  return listProcessTree(pid).reduce((sum, member) => sum + readResidentMb(member.pid), 0)
}

/** The number of processes in a process tree. */
export const countProcesses = (pid: number): number => (isLinux ? listProcessTree(pid).length : Number.NaN)

function readResidentMb(pid: number): number {
  try {
    const match = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return match ? (Number(match[1]) * 1024) / 1e6 : 0
  } catch {
    return 0
  }
}
