#!/usr/bin/env node
// Builds the service and the bench, then runs the soak. See `npm run bench:soak -- --help`.
import { buildBench } from './build.mjs'

await buildBench()
await import('../dist/soak/main.js')
