// Builds the service and the bench.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildIfStale } from '../../server/bin/build.mjs'

const bench = join(dirname(fileURLToPath(import.meta.url)), '..')
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

/** Exits if the bench does not compile. */
export async function buildBench() {
  await buildIfStale()
  const { status } = spawnSync(process.execPath, [tsc, '-p', bench], { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(1)
}
