// Installs an earlier release from the git history.
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FOLDER } from '../settings.mjs'

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))

/** A release with migration 19 that is compatible with the schema of the next release. */
const COMMIT = '86dbcb59c1bc909919816431e9c9947b4ddae0c5'

/** Returns the path of the installed program, or undefined if the commit is not in the git history. */
export function installEarlierRelease() {
  const folder = join(FOLDER, 'earlier-release')
  const git = (...args) => execFileSync('git', args, { cwd: PROJECT, stdio: 'ignore' })
  try {
    git('cat-file', '-e', `${COMMIT}^{commit}`)
  } catch {
    return undefined
  }
  rmSync(folder, { recursive: true, force: true })
  git('clone', '--quiet', '--no-checkout', PROJECT, folder)
  git('-C', folder, 'checkout', '--quiet', COMMIT)
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' })
  const program = join(folder, 'server', 'bin', 'latchkey.js')
  return existsSync(program) ? program : undefined
}
