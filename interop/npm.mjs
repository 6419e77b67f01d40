import { findOutput } from './commands.mjs'

/** A sentence that says that packages cannot be installed, or undefined. */
export const findMissingNpm = async () =>
  (await findOutput('npm', ['view', 'openid-client', 'version', '--fetch-retries=1'])) === undefined
    ? 'npm cannot reach a package registry.'
    : undefined
