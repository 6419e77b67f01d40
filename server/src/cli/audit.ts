import { Command } from 'commander'
import { readEnd } from '../audit/chain/link.ts'
import type { Finding } from '../audit/chain/verify/walk.ts'
import { type Verdict, verifyChain } from '../audit/chain/verify.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { runCommand } from './run.ts'

/** More would tell nobody more. */
const MOST_SHOWN = 1_000

const verify = new Command('verify')
  .description('check that no entry of the audit log was altered, added or taken out')
  .option('--head <position:hash>', 'an earlier head that was kept elsewhere: nothing was cut off after it')
  .action(async ({ head }: { head?: string }) => {
    const known = head === undefined ? undefined : readEnd(head)
    if (head !== undefined && !known) {
      throw new OperatorError('--head must be a position and a hash, as "latchkey audit verify" prints them.')
    }
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      let found = 0
      const onFinding = (finding: Finding) => {
        found += 1
        if (found <= MOST_SHOWN) console.log(describe(finding))
      }
      const verdict = await verifyChain(ctx, { known, onFinding, onProgress: showProgress })
      hideProgress()
      report(verdict, found)
    })
  })

/** One line a finding: what is wrong, where, when and with which entry. */
const describe = ({ kind, what, position, at, entryId }: Finding): string =>
  [
    kind.toUpperCase().padEnd(8),
    position === undefined ? 'no position' : `position ${position}`,
    at ?? 'no time',
    entryId ?? 'no entry',
    what,
  ].join('  ')

function report({ entries, first, last, head, waiting, knownIsOlder }: Verdict, found: number): void {
  if (found > MOST_SHOWN) console.log(`… and ${found - MOST_SHOWN} more`)
  const span = first && last ? `, from ${first} to ${last}` : ''
  console.log(`${count(entries, 'entry', 'entries')} in the chain${span}.`)
  if (waiting > 0) console.log(`${count(waiting, 'entry', 'entries')} not linked yet, and not covered.`)
  if (knownIsOlder) console.log('The given head is older than what the log has kept: it proves nothing.')
  console.log(`Head: ${head}`)
  console.log(
    found === 0 ? 'All is well.' : `${count(found, 'finding', 'findings')}: this is not as it was written.`,
  )
  if (found > 0) process.exitCode = 1
}

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`

/** On a terminal alone: a file or a pipe keeps what matters. */
function showProgress(done: number, all: number): void {
  if (process.stderr.isTTY && all > 0) process.stderr.write(`\r${done} of ${all}\u001b[K`)
}

function hideProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
}

export const auditCommand = new Command('audit').description('look after the audit log').addCommand(verify)
