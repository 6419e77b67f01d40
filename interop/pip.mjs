import { join } from 'node:path'
import { findOutput } from './commands.mjs'

const IS_RECENT = 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))'
/** Without a connection, pip would try again for minutes. */
const ENVIRONMENT = { PIP_RETRIES: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' }

/** A sentence that says that Python packages cannot be installed, or undefined. */
export async function findMissingPip(folder) {
  if ((await findOutput('python3', ['-c', IS_RECENT])) === undefined)
    return 'Python 3.10 or later with venv is not installed (Debian package python3-venv).'
  const environment = join(folder, 'venv')
  if ((await findOutput('python3', ['-m', 'venv', environment])) === undefined)
    return 'python3 cannot create a virtual environment (Debian package python3-venv).'
  const pip = join(environment, 'bin/pip')
  const versions = await findOutput(pip, ['index', 'versions', 'Authlib'], { env: ENVIRONMENT })
  return versions === undefined ? 'pip cannot reach a package index.' : undefined
}
