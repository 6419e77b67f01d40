#!/usr/bin/env node
// Builds the service and the bench, then measures. See `npm run bench -- --help`.
import { buildBench } from './build.mjs'

await buildBench()
await import('../dist/main.js')
