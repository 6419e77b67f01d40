#!/usr/bin/env node
// Signing and hashing run on the thread pool, whose size is read once, at its first use. Loading an ES module uses
// it, so this file is none. More threads than cores sign no faster, but leave less of the cores to the one that answers.
const { enableCompileCache } = require('node:module')
const { availableParallelism } = require('node:os')
const { join } = require('node:path')
const { setFlagsFromString } = require('node:v8')

process.env.UV_THREADPOOL_SIZE ??= String(Math.max(2, availableParallelism()))

// Starting makes much garbage, for which the engine would take room and keep it. Once it serves, it may (cli/run.ts).
setFlagsFromString('--semi-space-growth-factor=1')

import('./build.mjs').then(async ({ buildIfStale }) => {
  // One of several processes runs what the first one runs.
  if (!process.connected || !require('node:cluster').isWorker) await buildIfStale()
  // Where the engine can keep what it has compiled (Node 22), the next start finds it, beside the program: whoever may
  // write there may change that as well.
  enableCompileCache?.(join(__dirname, '../dist/.compiled'))
  return import('../dist/cli/latchkey.js')
})
