// The examples in JavaScript. Each is copied to a scratch folder, gets the packages of this repository as they are
// published, and runs its own tests there.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PACKAGES, pack } from '../.ci/pack.mjs'
import { findBrowser, findMissingBrowser } from './browser.mjs'
import { findOutput, run as runCommand } from './commands.mjs'

const EXAMPLES = join(import.meta.dirname, '../examples')

/** The names of the examples that npm installs. */
export const listExamples = () =>
  readdirSync(EXAMPLES).filter((name) => existsSync(join(EXAMPLES, name, 'package.json')))

/** A suite as run.mjs describes it. */
export function createExampleSuite(name) {
  const manifest = JSON.parse(readFileSync(join(EXAMPLES, name, 'package.json'), 'utf8'))
  // The other packages need @latchkey/client.
  const needed = [...Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }), '@latchkey/client']
  const needsBrowser = needed.includes('playwright-core')
  const browser = findBrowser()
  return {
    name: `Example ${name}`,
    async findMissing() {
      if (needsBrowser && browser === undefined) return findMissingBrowser()
      return (await findOutput('npm', ['view', 'express', 'version'])) === undefined
        ? 'npm cannot reach a registry.'
        : undefined
    },
    async run({ url, folder }) {
      cpSync(join(EXAMPLES, name), folder, { recursive: true, filter: (path) => !path.includes('node_modules') })
      const packages = PACKAGES.filter((entry) => needed.includes(entry.name))
      const files = packages.map((entry) => packOnce(entry, join(dirname(folder), 'packages')))
      await runCommand('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...files], { cwd: folder })
      const env = { LATCHKEY_URL: url, ...(browser && { CHROMIUM_PATH: browser }) }
      await runCommand('npm', ['test'], { cwd: folder, env })
    },
  }
}

const packed = new Map()

/** The examples of a run share the packed files. */
function packOnce(entry, target) {
  mkdirSync(target, { recursive: true })
  if (!packed.has(entry.name)) packed.set(entry.name, pack(entry, target))
  return packed.get(entry.name)
}
