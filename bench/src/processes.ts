import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** What processes have used, as Linux tells it. Elsewhere nothing is known, and the tables show a dash. */

const isLinux = process.platform === 'linux'

/** Ticks of the processor's clock in a second. */
const ticks = isLinux ? Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) : Number.NaN

interface Process {
  pid: number
  parent: number
  /** Its own threads, and the children that have ended. */
  cpuSeconds: number
}

function readProcess(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name stands in brackets and may hold anything; the state and the parent follow it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const spent = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { pid, parent: Number(fields[1]), cpuSeconds: spent / ticks }
  } catch {
    // It has ended between the look at the list and this one.
    return undefined
  }
}

function listProcesses(): Process[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.map(readProcess).filter((found) => found !== undefined)
}

/** A process with those of the same program that it has started: a service with its workers, but not its database. */
function familyOf(root: number): Process[] {
  const all = listProcesses()
  const program = programOf(root)
  const family = all.filter(({ pid }) => pid === root)
  for (const member of family) {
    family.push(...all.filter(({ pid, parent }) => parent === member.pid && programOf(pid) === program))
  }
  return family
}

function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return undefined
  }
}

/** Seconds of a core that a process and its family have used so far. NaN: nobody knows. */
export const cpuSecondsOf = (pid: number): number =>
  isLinux ? familyOf(pid).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) : Number.NaN

/** The same of the bench itself and of the programs that it has started and that have ended. */
export function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return readProcess(process.pid)?.cpuSeconds ?? (user + system) / 1e6
}

/** Memory that a process and its family hold, in MB. NaN: nobody knows. */
export function residentMbOf(pid: number): number {
  if (!isLinux) return Number.NaN
  return familyOf(pid).reduce((sum, member) => sum + readResidentMb(member.pid), 0)
}

/** How many processes of a program run. NaN: nobody knows. */
export const countProcesses = (pid: number): number => (isLinux ? familyOf(pid).length : Number.NaN)

function readResidentMb(pid: number): number {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return found ? (Number(found[1]) * 1024) / 1e6 : 0
  } catch {
    return 0
  }
}
