import { Command } from 'commander'
import { parseChainHead } from '../audit/chain/link.ts'
import type { Finding } from '../audit/chain/verify/walk.ts'
import { type VerificationResult, verifyChain } from '../audit/chain/verify.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { streams } from './audit-streams.ts'
import { runCommand } from './run.ts'

const MAX_PRINTED = 1_000

const verify = new Command('verify')
  .description('check that no entry of the audit log was altered, added or deleted')
  .option('--head <position:hash>', 'an earlier head that was kept elsewhere, to detect deleted entries at the end')
  .action(async ({ head }: { head?: string }) => {
    const known = head === undefined ? undefined : parseChainHead(head)
    if (head !== undefined && !known) {
      throw new OperatorError('--head must be a position and a hash, as "latchkey audit verify" prints them.')
    }
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      let found = 0
      const onFinding = (finding: Finding) => {
        found += 1
        if (found <= MAX_PRINTED) console.log(describe(finding))
      }
      const result = await verifyChain(ctx, { known, onFinding, onProgress: showProgress })
      hideProgress()
      report(result, found)
    })
  })

const describe = ({ kind, what, position, at, entryId }: Finding): string =>
  [
    kind.toUpperCase().padEnd(8),
    position === undefined ? 'no position' : `position ${position}`,
    at ?? 'no time',
    entryId ?? 'no entry',
    what,
  ].join('  ')

function report({ entries, first, last, head, waiting, knownIsOlder }: VerificationResult, found: number): void {
  if (found > MAX_PRINTED) console.log(`… and ${found - MAX_PRINTED} more`)
  const span = first && last ? `, from ${first} to ${last}` : ''
  console.log(`${count(entries, 'entry', 'entries')} in the chain${span}.`)
  if (waiting > 0) console.log(`${count(waiting, 'entry', 'entries')} not linked yet and not verified.`)
  if (knownIsOlder) console.log('The given head is older than the retained log and cannot be compared.')
  console.log(`Head: ${head}`)
  console.log(found === 0 ? 'All is well.' : `${count(found, 'finding', 'findings')}: the audit log was manipulated.`)
  if (found > 0) process.exitCode = 1
}

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`

/** Only on a terminal, so that files and pipes contain no progress lines. */
function showProgress(done: number, all: number): void {
  if (process.stderr.isTTY && all > 0) process.stderr.write(`\r${done} of ${all}\u001b[K`)
}

function hideProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
}

export const auditCommand = new Command('audit')
  .description('verify the audit log and show its streams')
  .addCommand(verify)
  .addCommand(streams)
