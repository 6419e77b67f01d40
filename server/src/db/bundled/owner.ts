import { readlinkSync } from 'node:fs'
import { readProcessStart } from '../../lib/process-identity.ts'

/** The Latchkey process that started a server. */
export interface Owner {
  /** A command stops its server when it exits, after a short time. */
  kind: 'service' | 'command'
  /** The pid namespace (such as that of a container) in which the pid is valid. */
  namespace: string
  pid: number
  start: string
}

/** A custom setting on the server's command line, by which other processes identify its owner. */
export const OWNER_SETTING = 'latchkey.owner'

export const describeOwner = (kind: Owner['kind']): string =>
  [kind, pidNamespace(), process.pid, readProcessStart(process.pid)].join('/')

export function findOwner(commandLine: string): Owner | undefined {
  const match = new RegExp(`${OWNER_SETTING}=(service|command)/([^/]*)/(\\d+)/(\\S+)`).exec(commandLine)
  if (!match) return undefined
  const [, kind, namespace = '', pid, start = ''] = match
  return { kind: kind as Owner['kind'], namespace, pid: Number(pid), start }
}

/** Processes in another pid namespace are not visible, so they are assumed to be alive. */
export const isAlive = ({ namespace, pid, start }: Owner): boolean =>
  namespace !== pidNamespace() || readProcessStart(pid) === start

/** Empty where the system has no pid namespaces. */
export function pidNamespace(): string {
  if (process.platform !== 'linux') return ''
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
}
