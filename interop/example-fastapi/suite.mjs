import { join } from 'node:path'
import { run as runCommand } from '../commands.mjs'
import { findMissing as findMissingOfSdk, PIP_ENVIRONMENT } from '../python/suite.mjs'
import { EXAMPLES, testReportsApi } from '../reports-api.mjs'

export const name = 'Example fastapi'

const EXAMPLE = join(EXAMPLES, 'fastapi')

/** The example needs what the test of the SDK needs. This also creates the virtual environment in the folder. */
export const findMissing = findMissingOfSdk

export async function run({ url, folder }) {
  const bin = join(folder, 'bin')
  const options = { cwd: EXAMPLE, env: PIP_ENVIRONMENT }
  await runCommand(join(bin, 'pip'), ['install', '--quiet', '-r', 'requirements.txt'], options)
  await testReportsApi({
    url,
    cwd: EXAMPLE,
    env: PIP_ENVIRONMENT,
    toCommand: (port) => [join(bin, 'uvicorn'), 'main:app', '--port', String(port)],
    toUser: ({ sub }) => ({ user: sub, tenant: 'acme', roles: ['member'] }),
  })
}
