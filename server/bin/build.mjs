#!/usr/bin/env node
// Compiles the server when its sources are newer than the last build, so that one command starts a fresh
// clone and a second start costs nothing. A deployed package carries dist and no compiler, and is left alone.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'dist', '.built')

// Names, sizes and times together: a deleted or swapped file counts as a change too.
function fingerprint(folder) {
  const lines = []
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) lines.push(fingerprint(path))
    else if (/\.tsx?$/.test(entry.name)) {
      const { size, mtimeMs } = statSync(path)
      lines.push(`${entry.name} ${size} ${mtimeMs}`)
    }
  }
  return lines.sort().join('\n')
}

export function buildIfStale() {
  if (!existsSync(join(root, 'tsconfig.build.json'))) return
  const current = fingerprint(join(root, 'src'))
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return
  let compiler
  try {
    compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  } catch {
    if (existsSync(stamp)) return
    process.stderr.write('Latchkey is not built and the compiler is missing. Run "npm install" first.\n')
    process.exit(1)
  }
  // Types are checked by `npm run types`; starting only needs the output.
  // Compiled beside and swapped in whole: a program that starts meanwhile never sees half a build.
  const fresh = join(root, `dist.${process.pid}`)
  const config = join(root, 'tsconfig.build.json')
  const result = spawnSync(process.execPath, [compiler, '-p', config, '--outDir', fresh, '--noCheck'], {
    stdio: ['ignore', 2, 2],
  })
  if (result.status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    process.stderr.write('The server did not compile; the messages above say where.\n')
    process.exit(1)
  }
  writeFileSync(join(fresh, '.built'), current)
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  renameSync(fresh, join(root, 'dist'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildIfStale()
