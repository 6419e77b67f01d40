// Writes the measurements of a drill as a Markdown page.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { postgresPrograms } from '../settings.mjs'
import { stats } from './client.mjs'
import { acknowledged } from './work.mjs'

const version = (command, ...args) => execFileSync(command, args, { encoding: 'utf8' }).trim().split('\n')[0]

export function writeReport(file, { measurements, problems, changes, mails, events, options, isRestored, crashes }) {
  const rows = measurements.map(
    ({ name, gapMs, failed, noResponse }) => `| ${name} | ${gapMs} ms | ${failed} | ${noResponse} |`,
  )
  const changeRows = [
    ['Seats granted and revoked', changes, 'in the ledger, each once'],
    [
      'Invitations',
      acknowledged.invited.size,
      `pending once, except ${acknowledged.canceled.size} revoked; an email for each (the mail server received ${mails.length} emails of all kinds)`,
    ],
    ['Token refreshes', acknowledged.refreshes, `grant families lost: ${acknowledged.lostChains.length}`],
    ['Tenants', acknowledged.tenants.size, `all exist, except ${acknowledged.deleted.size} deleted`],
    ['Accounts', acknowledged.registered.size, 'all exist, each once'],
    ['Tenant renames', acknowledged.renamed.length, `delivered by webhook (${events.length} events received)`],
  ]
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`
  writeFileSync(
    file,
    `# Reliability

This page shows how a highly available Latchkey behaves when its parts fail, measured by \`npm run test:ha\` ([ops/ha](../ops/ha/README.md)). The setup has three nodes behind one proxy, three PostgreSQL servers under Patroni, and many clients. Clients retry a request that gets 503 after \`Retry-After\`, with the same \`Idempotency-Key\`.

The results are from ${new Date().toISOString().slice(0, 10)}: ${version('node', '--version').replace('v', 'Node ')}, ${version(join(postgresPrograms(), 'postgres'), '--version').replace(/^postgres \(PostgreSQL\)/, 'PostgreSQL')}, ${version('patroni', '--version').replace('patroni', 'Patroni')}, ${options.proxy} in front of the nodes, nodes that find the primary ${options.database === 'direct' ? 'themselves' : 'through haproxy'}, all on one machine with ${machine}.

| Fault | Longest time without success | Responses with 503 | Requests without a response |
| --- | --- | --- | --- |
${rows.join('\n')}

Total requests: ${stats.requests}. Responses with 500 or another unexpected status: ${stats.unexpectedStatus.length}. Valid tokens rejected: ${acknowledged.rejectedValidTokens.length}. Responses with 503 without \`Retry-After\`: ${stats.withoutRetryAfter}.

| Acknowledged change | Number | Verification |
| --- | --- | --- |
${changeRows.map((row) => `| ${row.join(' | ')} |`).join('\n')}

A single PostgreSQL server was also killed for 4 seconds, ten times, under a load of invitations, mail and webhooks (\`server/test/program/database-killed\`):

| Setup | Result |
| --- | --- |
${crashes.map(({ setup, passed }) => `| ${setup} | ${passed ? 'no process exited, nothing was lost' : 'failed'} |`).join('\n')}

After the load, the database was restored to the time before a mistake. ${isRestored ? '`latchkey verify` found no problems' : 'The restore failed'}.

${problems.length === 0 ? 'The drill found no problems.' : `Problems:\n\n${problems.map((problem) => `- ${problem}`).join('\n')}`}

## Limits

- **Idempotency.** If a node is killed after the commit and before it stores the response of a request with an \`Idempotency-Key\`, a retry executes the request again.
- **Network partitions.** A disconnected primary is replaced when its lease in etcd expires, after 20 seconds or more. Until then, every request that needs the database gets 503.
`,
  )
}
