#!/usr/bin/env node
// Signing and hashing run on the thread pool, whose size is read once, at its first use. Loading an ES module uses
// it, so this file is none.
const { availableParallelism } = require('node:os')
const { setFlagsFromString } = require('node:v8')

process.env.UV_THREADPOOL_SIZE ??= String(Math.max(4, availableParallelism() + 2))

// Starting makes much garbage, for which the engine would take room and keep it. Once it serves, it may (cli/run.ts).
setFlagsFromString('--semi-space-growth-factor=1')

import('./build.mjs').then(async ({ buildIfStale }) => {
  // One of several processes runs what the first one runs.
  if (!process.connected || !require('node:cluster').isWorker) await buildIfStale()
  return import('../dist/cli/latchkey.js')
})
