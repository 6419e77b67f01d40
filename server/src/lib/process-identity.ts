import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * The start time of a process in the system's format; undefined if it does not run. It identifies a process together with
 * the pid, because pids are reused. A zombie counts as not running.
 */
export function readProcessStart(pid: number): string | undefined {
  return process.platform === 'linux' ? startOnLinux(pid) : startFromPs(pid)
}

function startOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command name in parentheses may contain spaces, so parse after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

function startFromPs(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '').replace(/\s+/g, '_')
  } catch {
    return undefined
  }
}
