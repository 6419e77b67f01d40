#!/usr/bin/env node
// Compiles the server, bundles the console, and makes the guide, when their sources are newer than the last build, so that one command
// starts a fresh clone and a second start costs nothing. A deployed package carries them and no compiler, and is left
// alone.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const server = join(dirname(fileURLToPath(import.meta.url)), '..')
const root = join(server, '..')
const resolve = createRequire(import.meta.url).resolve

/** What is built: from what, to where, and by which program. */
const BUILDS = [
  {
    name: 'The server',
    // Libraries become part of it, so that others make another program.
    sources: [
      ...['src', 'bin/bundle.mjs', 'tsconfig.json'].map((file) => join(server, file)),
      join(root, 'package-lock.json'),
      join(root, 'demo'),
    ],
    output: join(server, 'dist'),
    // Types are checked by `npm run types`; starting only needs the output.
    program: () => resolve('rolldown') && join(server, 'bin', 'bundle.mjs'),
    args: (output) => [output],
  },
  {
    name: 'The console',
    sources: [
      ...['src', 'index.html', 'vite.config.ts'].map((file) => join(root, 'console', file)),
      join(root, 'sdk/client/src'),
    ],
    output: join(server, 'public'),
    program: () => join(dirname(resolve('vite/package.json')), 'bin', 'vite.js'),
    args: (output) => ['build', join(root, 'console'), '--outDir', output, '--logLevel', 'warn'],
  },
  {
    name: 'The guide',
    sources: [
      join(root, 'docs'),
      ...['client', 'go', 'node', 'python', 'react'].map((name) => join(root, 'sdk', name, 'README.md')),
      ...['src/ui/browser', 'bin/guide.mjs', 'bin/guide-pages.mjs'].map((file) => join(server, file)),
    ],
    output: join(server, 'guide'),
    program: () => resolve('markdown-it') && join(server, 'bin', 'guide.mjs'),
    args: (output) => [output],
  },
]

// Names, sizes and times together: a deleted or swapped file counts as a change too.
function fingerprint(path) {
  const found = statSync(path)
  if (!found.isDirectory()) return `${found.size} ${found.mtimeMs}`
  const entries = readdirSync(path).sort()
  return entries.map((name) => `${name} ${fingerprint(join(path, name))}`).join('\n')
}

/** Builds what is not there or not fresh, all at once. */
export async function buildIfStale() {
  await Promise.all(BUILDS.filter(({ sources }) => sources.every(existsSync)).map(buildOne))
}

async function buildOne({ name, sources, output, program, args }) {
  const stamp = join(output, '.built')
  const current = sources.map(fingerprint).join('\n')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return
  let command
  try {
    command = program()
  } catch {
    if (existsSync(stamp)) return
    process.stderr.write(`${name} is not built and its compiler is missing. Run "npm install" first.\n`)
    process.exit(1)
  }
  // Built beside and swapped in whole: a program that starts meanwhile never sees half a build.
  const fresh = `${output}.${process.pid}`
  if ((await run(command, args(fresh))) !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    process.stderr.write(`${name} did not compile; the messages above say where.\n`)
    process.exit(1)
  }
  writeFileSync(join(fresh, '.built'), current)
  rmSync(output, { recursive: true, force: true })
  renameSync(fresh, output)
}

const run = (command, args) =>
  new Promise((done) => {
    // Whatever is being done here, what is built is for people: tests look at the same.
    const env = { ...process.env, NODE_ENV: 'production' }
    spawn(process.execPath, [command, ...args], { stdio: ['ignore', 2, 2], env }).once('close', done)
  })

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildIfStale()
