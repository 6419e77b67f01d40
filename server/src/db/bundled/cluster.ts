import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { createFolderAtomically } from '../../lib/atomic-folder.ts'
import { type Home, handOver, removeOwned } from './home.ts'
import type { Programs } from './programs.ts'

/** The environment of PostgreSQL. It does not inherit PG* variables or secrets from the service. */
export const PLAIN_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Creates the cluster on first use. Throws if it has another major version. */
export function ensureCluster(home: Home, programs: Programs): void {
  createFolderAtomically(home.cluster, {
    fill: (unfinished) => createCluster(home, unfinished, programs),
    remove: (unfinished) => removeOwned(unfinished, home),
  })
  const major = readVersion(home)
  if (major === programs.major) return
  throw new OperatorError(
    `The database in ${home.cluster} was made by PostgreSQL ${major}, and this Latchkey bundles ${programs.major}. ` +
      `Nothing was changed. To keep the data, start a PostgreSQL ${major} on that folder, copy it to a newer server ` +
      'with pg_dump, and set DATABASE_URL; or go on with the earlier Latchkey. ' +
      'To start afresh, choose another folder with LATCHKEY_DATA_DIR.',
  )
}

function readVersion({ cluster }: Home): string {
  try {
    return readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  } catch (error) {
    throw new OperatorError(
      `The folder ${cluster} is not a PostgreSQL database that this user can read. ` +
        'Start Latchkey as the user that made it, or choose another folder with LATCHKEY_DATA_DIR.',
      { cause: error },
    )
  }
}

function createCluster(home: Home, folder: string, programs: Programs): void {
  handOver(folder, home)
  const options = [
    ['--pgdata', folder],
    ['--username', 'postgres'],
    ['--encoding', 'UTF8'],
    ['--locale-provider', 'builtin', '--locale', 'C.UTF-8'],
    ['--auth-local', 'trust', '--auth-host', 'reject'],
  ]
  const result = spawnSync(programs.initdb, options.flat(), {
    ...home.identity,
    env: PLAIN_ENV,
    cwd: home.folder,
    encoding: 'utf8',
  })
  if (result.status !== 0) throw explainFailure(home, result.error, result.stderr)
}

function explainFailure(home: Home, error: Error | undefined, stderr: string | null): OperatorError {
  const reason = stderr?.split('\n').find((line) => /error|fatal|not found/i.test(line)) ?? error?.message
  return new OperatorError(
    `The bundled PostgreSQL could not create its database in ${home.folder}: ${reason ?? 'no reason given'}. ` +
      'Fix that, choose another folder with LATCHKEY_DATA_DIR, or set DATABASE_URL to a PostgreSQL 15 or later.',
    { cause: error },
  )
}
