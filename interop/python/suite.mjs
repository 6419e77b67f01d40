import { join } from 'node:path'
import { findOutput, run as runCommand } from '../commands.mjs'

export const name = 'Python SDK with FastAPI and Django'

const SDK = join(import.meta.dirname, '../../sdk/python')
const IS_RECENT = 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 9))'
/** Without a connection, pip would try again for minutes. */
export const PIP_ENVIRONMENT = { PIP_RETRIES: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1', PYTHONDONTWRITEBYTECODE: '1' }

export async function findMissing({ folder }) {
  if ((await findOutput('python3', ['-c', IS_RECENT])) === undefined)
    return 'Python 3.9 or later with venv is not installed (Debian package python3-venv).'
  await runCommand('python3', ['-m', 'venv', folder])
  const versions = await findOutput(join(folder, 'bin/pip'), ['index', 'versions', 'PyJWT'], { env: PIP_ENVIRONMENT })
  return versions === undefined ? 'pip cannot reach a package index.' : undefined
}

export async function run({ url, folder }) {
  await runCommand(join(folder, 'bin/pip'), ['install', '--quiet', `${SDK}[test]`, 'uvicorn'], { env: PIP_ENVIRONMENT })
  const env = { ...PIP_ENVIRONMENT, LATCHKEY_URL: url }
  for (const tests of [join(SDK, 'tests'), import.meta.dirname])
    await runCommand(join(folder, 'bin/pytest'), ['-q', '-p', 'no:cacheprovider', '--rootdir', tests, tests], { env })
}
