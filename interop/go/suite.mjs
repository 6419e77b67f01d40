import { join } from 'node:path'
import { findOutput, run as runCommand } from '../commands.mjs'

export const name = 'Go SDK with net/http'

const SDK = join(import.meta.dirname, '../../sdk/go')
const TESTS = import.meta.dirname
const MIN_MINOR = 24

export async function findMissing() {
  const [, minor] = /\bgo1\.(\d+)/.exec((await findOutput('go', ['version'])) ?? '') ?? []
  if (minor === undefined || Number(minor) < MIN_MINOR)
    return `Go 1.${MIN_MINOR} or later is not installed (Debian package golang-go).`
  if ((await findOutput('go', ['mod', 'download'], { cwd: TESTS })) !== undefined) return undefined
  // Modules that differ from go.sum are a failure and not a missing proxy.
  const versions = await findOutput('go', ['list', '-m', '-versions', 'github.com/go-jose/go-jose/v4'], { cwd: TESTS })
  return versions === undefined ? 'go cannot reach a module proxy.' : undefined
}

export async function run({ url }) {
  await runCommand('go', ['vet', './...'], { cwd: SDK })
  await runCommand('go', ['test', './...'], { cwd: SDK })
  await runCommand('go', ['test', '-count=1', './...'], { cwd: TESTS, env: { LATCHKEY_URL: url } })
}
