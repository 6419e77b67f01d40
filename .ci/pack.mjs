// Packs the packages of this repository as they are published.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The packages, and their greatest packed size in kB. */
export const PACKAGES = [
  { name: 'latchkey', folder: 'server', maxSize: 2_700 },
  { name: '@latchkey/client', folder: 'sdk/client', maxSize: 30 },
  { name: '@latchkey/node', folder: 'sdk/node', maxSize: 30 },
  { name: '@latchkey/react', folder: 'sdk/react', maxSize: 30 },
]

/** Packs one of them into the folder `target`, and returns the path of the file. */
export function pack({ folder, maxSize }, target) {
  const args = ['pack', '-w', folder, '--pack-destination', target, '--json', '--silent']
  const output = execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] }).toString()
  const [packed] = JSON.parse(output.slice(output.indexOf('[')))
  const kilobytes = Math.ceil(packed.size / 1_000)
  if (kilobytes > maxSize) throw new Error(`${packed.filename} has ${kilobytes} kB, more than ${maxSize} kB.`)
  const stray = packed.files.filter(({ path }) => /\.test\.|(?<!\.d)\.tsx?$|tsconfig/.test(path))
  if (stray.length > 0) throw new Error(`${packed.filename} contains ${stray.map(({ path }) => path).join(', ')}`)
  for (const name of ['README.md', 'LICENSE', 'package.json']) {
    if (!packed.files.some(({ path }) => path === name)) throw new Error(`${packed.filename} has no ${name}.`)
  }
  console.log(`${packed.filename}: ${kilobytes} kB, ${packed.files.length} files`)
  return join(target, packed.filename)
}
