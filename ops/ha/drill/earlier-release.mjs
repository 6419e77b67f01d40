// The program of an earlier release, from the history of the project.
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FOLDER } from '../settings.mjs'

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))

/** One whose program goes on working on the schema of the next. It knows migration 19. */
const EARLIER = '86dbcb59c1bc909919816431e9c9947b4ddae0c5'

/** Installs it and returns the path of its program; undefined where the history is not there. */
export function makeEarlierRelease() {
  const folder = join(FOLDER, 'earlier-release')
  const git = (...args) => execFileSync('git', args, { cwd: PROJECT, stdio: 'ignore' })
  try {
    git('cat-file', '-e', `${EARLIER}^{commit}`)
  } catch {
    return undefined
  }
  rmSync(folder, { recursive: true, force: true })
  git('clone', '--quiet', '--no-checkout', PROJECT, folder)
  git('-C', folder, 'checkout', '--quiet', EARLIER)
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' })
  const program = join(folder, 'server', 'bin', 'latchkey.js')
  return existsSync(program) ? program : undefined
}
