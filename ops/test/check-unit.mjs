// Lets systemd read the unit, and rate how much of the machine it leaves open.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from './programs.mjs'

/** From 0 (nothing is open) to 10. systemd calls everything below 2.5 "OK". */
const MAX_EXPOSURE = 1.5

export const missing = (hasProgram) => (hasProgram('systemd-analyze') ? undefined : 'systemd-analyze is not installed')

export async function check({ repository, folder, log }) {
  const unit = join(folder, 'latchkey.service')
  copyFileSync(join(repository, 'ops/systemd/latchkey.service'), unit)
  const threshold = `--threshold=${MAX_EXPOSURE * 10}`
  const rating = runProgram('systemd-analyze', ['security', '--offline=true', '--no-pager', threshold, unit])
  log(/Overall exposure level.*$/m.exec(rating)?.[0].trim() ?? 'rated')
  // "verify" checks that the program exists, and /opt/latchkey is not installed here.
  const text = readFileSync(unit, 'utf8').replace(/^ExecStart=.*$/m, `ExecStart=${process.execPath} --version`)
  writeFileSync(unit, text)
  const warnings = runProgram('sh', ['-c', 'systemd-analyze verify --man=no "$0" 2>&1', unit])
  if (warnings.includes(unit)) throw new Error(warnings)
  log('systemd accepts the unit')
}
