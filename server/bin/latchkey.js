#!/usr/bin/env node
// Signing and hashing run on the thread pool, whose size is read once, at its first use. Loading an ES module uses
// it, so this file is none.
const { availableParallelism } = require('node:os')

process.env.UV_THREADPOOL_SIZE ??= String(Math.max(4, availableParallelism() + 2))

import('./build.mjs').then(({ buildIfStale }) => {
  buildIfStale()
  return import('../dist/cli/latchkey.js')
})
