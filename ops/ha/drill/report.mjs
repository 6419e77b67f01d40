// The figures of a drill as a page of the documentation.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { postgresPrograms } from '../settings.mjs'
import { record } from './client.mjs'
import { done } from './work.mjs'

const version = (command, ...args) => execFileSync(command, args, { encoding: 'utf8' }).trim().split('\n')[0]

export function writeReport(
  file,
  { figures, problems, changes, mails, events, options, isRestored, crashes },
) {
  const rows = figures.map(
    ({ what, gap, failed, unanswered }) => `| ${what} | ${gap} ms | ${failed} | ${unanswered} |`,
  )
  const acknowledged = [
    ['Seats granted and taken back', changes, 'in the ledger, each once, and the last one decides'],
    [
      'Invitations',
      done.invited.size,
      `open once, ${done.canceled.size} of them taken back; a mail for each (${mails.length} sent)`,
    ],
    ['Refreshes', done.refreshes, `chains lost: ${done.lostChains.length}`],
    ['Tenants', done.tenants.size, `there, but for ${done.deleted.size} that were deleted`],
    ['Accounts', done.registered.size, 'there, each once'],
    ['New names', done.renamed.length, `delivered by webhook (${events.length} events arrived)`],
  ]
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`
  writeFileSync(
    file,
    `# Reliability

What happens to a highly available Latchkey when its parts fail, measured by \`npm run test:ha\` ([ops/ha](../ops/ha/README.md)): three nodes, three PostgreSQL under Patroni, constant work of many clients through one
proxy. Clients do what they are told: what is answered 503 is asked again after \`Retry-After\`, with the same \`Idempotency-Key\`.

This page was written by the run of ${new Date().toISOString().slice(0, 10)}: ${version('node', '--version').replace('v', 'Node ')}, ${version(join(postgresPrograms(), 'postgres'), '--version').replace(/^postgres \(PostgreSQL\)/, 'PostgreSQL')}, ${version('patroni', '--version').replace('patroni', 'Patroni')}, ${options.proxy} before the nodes, nodes connected by \`${options.database}\`; all of it on one machine with ${machine}.

| What was done | Longest time without a success | Answers of 503 | Not answered |
| --- | --- | --- | --- |
${rows.join('\n')}

In all ${record.requests} requests. Answers of 500 or another wrong status: ${record.wrong.length}. Good tokens refused: ${done.falseRefusals.length}. Answers of 503 without \`Retry-After\`: ${record.unadvised}.

| Acknowledged | Number | Found afterwards |
| --- | --- | --- |
${acknowledged.map((row) => `| ${row.join(' | ')} |`).join('\n')}

The database was also killed for 4 seconds, ten times, under invitations, mails and webhooks (\`server/test/program/database-killed\`):

| Setup | Result |
| --- | --- |
${crashes.map(({ setup, isGood }) => `| ${setup} | ${isGood ? 'no process ended, nothing was lost' : 'failed'} |`).join('\n')}

After the work, the database was restored to the moment before a mistake. It was ${isRestored ? 'whole, as `latchkey verify` found' : 'not whole'}.

${problems.length === 0 ? 'Nothing was wrong.' : `What was wrong:\n\n${problems.map((problem) => `- ${problem}`).join('\n')}`}

## What is not promised

- **A request with an \`Idempotency-Key\` whose node is killed after the commit and before the answer was kept** is done again when it is repeated, after some seconds.
- **A primary that is cut off** is replaced when its lease in etcd has run out, 20 seconds at least. Until then nothing can be written.
`,
  )
}
