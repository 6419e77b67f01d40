import { readlinkSync } from 'node:fs'
import { processStart } from '../../lib/process-identity.ts'

/** The Latchkey process that started a server. */
export interface Owner {
  /** A service stays; a command is done in a moment and takes its server with it. */
  kind: 'service' | 'command'
  /** Pids mean something only within one namespace, such as that of a container. */
  namespace: string
  pid: number
  start: string
}

/** Given to the server as a setting of its own, so that whoever finds it running can see whose it is. */
export const OWNER_SETTING = 'latchkey.owner'

export const ownerMark = (kind: Owner['kind']): string =>
  [kind, pidNamespace(), process.pid, processStart(process.pid)].join('/')

export function findOwner(commandLine: string): Owner | undefined {
  const mark = new RegExp(`${OWNER_SETTING}=(service|command)/([^/]*)/(\\d+)/(\\S+)`).exec(commandLine)
  if (!mark) return undefined
  const [, kind, namespace = '', pid, start = ''] = mark
  return { kind: kind as Owner['kind'], namespace, pid: Number(pid), start }
}

/** In another namespace we cannot look: assume that it lives. */
export const isAlive = ({ namespace, pid, start }: Owner): boolean =>
  namespace !== pidNamespace() || processStart(pid) === start

function pidNamespace(): string {
  if (process.platform !== 'linux') return ''
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
}
