#!/usr/bin/env node
import { buildIfStale } from './build.js'

buildIfStale()
await import('../dist/cli/latchkey.js')
