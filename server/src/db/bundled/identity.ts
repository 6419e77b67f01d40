import { lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../../errors.ts'

/** Under whom the bundled PostgreSQL runs. Undefined: under the service's own user. */
export interface Identity {
  uid: number
  gid: number
}

/**
 * PostgreSQL refuses to run as root. Started by root, it runs as whoever owns its cluster already, else as
 * `nobody`: initdb needs a user that the system knows, and we create none.
 */
export function chooseIdentity(cluster: string | undefined): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined
  const existing = cluster === undefined ? undefined : lstatSync(cluster, { throwIfNoEntry: false })
  if (existing && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid }
  const nobody = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'nobody')
  if (!nobody) {
    throw new OperatorError(
      'PostgreSQL cannot run as root and this system has no user "nobody" to run it as. ' +
        'Start Latchkey as an ordinary user, or set DATABASE_URL.',
    )
  }
  return { uid: Number(nobody[2]), gid: Number(nobody[3]) }
}

/** Whether the identity may pass through every folder down to and including this one. */
export function canEnter(folder: string, identity: Identity | undefined): boolean {
  if (!identity) return true
  const { mode, uid, gid } = statSync(folder)
  const shift = uid === identity.uid ? 6 : gid === identity.gid ? 3 : 0
  const open = ((mode >> shift) & 1) === 1
  const parent = dirname(folder)
  return open && (parent === folder || canEnter(parent, identity))
}
