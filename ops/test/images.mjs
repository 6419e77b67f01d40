#!/usr/bin/env node
// Checks the image, the chart, the compose file and the systemd unit with the real tools, as far as this machine has
// them. "npm run test:images" runs all of them, "npm run test:images -- image chart" some. README.md lists the tools.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as chart from './check-chart.mjs'
import * as compose from './check-compose.mjs'
import * as image from './check-image.mjs'
import * as unit from './check-unit.mjs'
import { hasProgram } from './programs.mjs'

const CHECKS = { image, chart, compose, unit }

const repository = fileURLToPath(new URL('../../', import.meta.url))
const cache = join(repository, 'node_modules/.cache/latchkey-images')

async function runCheck(name) {
  const { missing, check } = CHECKS[name]
  const log = (text) => console.log(`${name}: ${text}`)
  const reason = missing(hasProgram)
  if (reason) return log(`SKIPPED: ${reason}`)
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-images-'))
  // Other users, such as that of PostgreSQL, must reach their folders below it.
  chmodSync(folder, 0o711)
  try {
    await check({ repository, cache, folder, log })
    log('passed')
  } catch (error) {
    log(`FAILED: ${error.stack}`)
    process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const names = process.argv.slice(2)
const unknown = names.find((name) => !(name in CHECKS))
if (unknown === undefined) {
  for (const name of names.length > 0 ? names : Object.keys(CHECKS)) await runCheck(name)
} else {
  console.error(`There is no check "${unknown}". Choose from: ${Object.keys(CHECKS).join(', ')}.`)
  process.exitCode = 1
}
