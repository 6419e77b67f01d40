import { join } from 'node:path'
import { findMissing as findMissingOfSdk } from '../go/suite.mjs'
import { EXAMPLES, testReportsApi } from '../reports-api.mjs'

export const name = 'Example go'

/** The example needs what the test of the SDK needs. */
export const findMissing = findMissingOfSdk

export const run = ({ url }) =>
  testReportsApi({
    url,
    cwd: join(EXAMPLES, 'go'),
    toCommand: () => ['go', 'run', '.'],
    toUser: ({ sub }) => ({ user: sub, tenant: 'acme', roles: ['member'] }),
  })
