import { lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../../errors.ts'

/** The user that runs the bundled PostgreSQL. Undefined means the user of the service. */
export interface Identity {
  uid: number
  gid: number
}

/**
 * PostgreSQL refuses to run as root. If the service runs as root, PostgreSQL runs as the owner of the existing cluster,
 * else as `nobody`: initdb needs an existing user.
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

/** True if the identity may traverse this folder and all its parents. */
export function canEnter(folder: string, identity: Identity | undefined): boolean {
  if (!identity) return true
  const { mode, uid, gid } = statSync(folder)
  const shift = uid === identity.uid ? 6 : gid === identity.gid ? 3 : 0
  const isExecutable = ((mode >> shift) & 1) === 1
  const parent = dirname(folder)
  return isExecutable && (parent === folder || canEnter(parent, identity))
}
