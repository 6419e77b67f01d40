#!/usr/bin/env node
// Runs a constant load while database servers and nodes fail. Started by `npm run test:ha`.
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SMTPServer } from 'smtp-server'
import {
  findMissing,
  findPrimary,
  killPrimary,
  startDatabase,
  stopDatabase,
  switchOver,
  waitUntilHealthy,
} from '../database.mjs'
import { restartNode, restartNodes, startNode, startNodes, startProxy, stopNode, stopProxy } from '../nodes.mjs'
import { listProcesses, pidOf, stop } from '../processes.mjs'
import { heal, partition } from '../relays.mjs'
import { FOLDER, NODES, PORTS } from '../settings.mjs'
import { authorizeMachine, readGap, resetGap, send, stats } from './client.mjs'
import { testDatabaseCrashes } from './crashes.mjs'
import { installEarlierRelease } from './earlier-release.mjs'
import { createNextRelease } from './next-release.mjs'
import { writeReport } from './report.mjs'
import { backUp, makeMistake, restoreTo } from './restore.mjs'
import { verify } from './verify.mjs'
import { acknowledged, startLoad } from './work.mjs'

const { values: options } = parseArgs({
  options: {
    kills: { type: 'string', default: '10' },
    switchovers: { type: 'string', default: '2' },
    partitions: { type: 'string', default: '2' },
    'node-kills': { type: 'string', default: '3' },
    database: { type: 'string', default: 'direct' },
    proxy: { type: 'string', default: 'haproxy' },
    /** Whether to run the crash test of a single PostgreSQL server: yes or no. */
    crashes: { type: 'string', default: 'yes' },
    /** The Markdown file for the report. */
    report: { type: 'string' },
  },
})

const SETTLE_MS = 3_000
const MAX_GAP_MS = 10_000
/** A partitioned primary is replaced when its lease in etcd expires. */
const MAX_PARTITION_GAP_MS = 40_000

const log = (text) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`)

const missing = await findMissing()
if (missing.length > 0) {
  console.log(`Skipped: the drill needs the Debian packages ${missing.join(', ')}.`)
  process.exit(0)
}
if (listProcesses().length > 0) {
  console.error(`Processes of ${FOLDER} are already running. Stop them with "node ops/ha/ha.mjs down".`)
  process.exit(1)
}

const mails = []
const events = []
const mailserver = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, session, finished) {
    stream.resume()
    stream.on('end', () => {
      mails.push(...session.envelope.rcptTo.map(({ address }) => address))
      finished()
    })
  },
})
mailserver.on('error', () => {})
const receiver = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  events.push(JSON.parse(text))
  response.end()
})
const listen = (server, port) => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
const [mailPort, receiverPort] = [PORTS.proxy + 80, PORTS.proxy + 81]
await Promise.all([listen(mailserver, mailPort), listen(receiver, receiverPort)])

const nodeOptions = {
  databaseRouting: options.database,
  env: { SMTP_URL: `smtp://127.0.0.1:${mailPort}`, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
}
const measurements = []
let isRestored = false
const problems = []

/** Injects a fault, waits for recovery and records the longest time without success. */
async function injectFault(name, fault, { maxGapMs = MAX_GAP_MS, mayFail = true } = {}) {
  const before = { ...stats.statuses }
  const noResponseBefore = stats.noResponse.length
  resetGap()
  await fault()
  await sleep(SETTLE_MS)
  const gapMs = readGap()
  const failed = (stats.statuses[503] ?? 0) - (before[503] ?? 0)
  const noResponse = stats.noResponse.length - noResponseBefore
  measurements.push({ name, gapMs, failed, noResponse })
  log(`${name}: ${gapMs} ms without success, ${failed} responses with 503, ${noResponse} requests without a response`)
  if (gapMs > maxGapMs) problems.push(`${name}: ${gapMs} ms without success`)
  if (!mayFail && failed + noResponse > 0) problems.push(`${name}: ${failed + noResponse} requests failed`)
  const stopped = NODES.filter((number) => pidOf(`latchkey-${number}`) === undefined)
  if (stopped.length > 0) problems.push(`${name}: node ${stopped.join(', ')} has exited`)
}

try {
  log('starting three PostgreSQL servers, three nodes and a proxy')
  await startDatabase()
  const earlier = installEarlierRelease()
  if (!earlier) log('Skipped: the upgrade from an earlier release, because its commit is not in the git history.')
  await startNodes(earlier ? { ...nodeOptions, program: earlier } : nodeOptions)
  await startProxy(options.proxy)
  await createWebhook()
  const stopLoad = await startLoad()
  log('load started')
  await injectFault('none', () => sleep(10_000), { mayFail: false })
  if (earlier) await upgradeFrom(earlier)
  for (let round = 1; round <= Number(options.kills); round++) {
    await injectFault(`kill ${round} of the primary`, async () => {
      const before = await killPrimary()
      await waitUntilHealthy({ before })
    })
  }
  for (let round = 1; round <= Number(options.switchovers); round++) {
    await injectFault(`switchover ${round}`, async () => {
      const before = await switchOver()
      await waitUntilHealthy({ before })
    })
  }
  for (let round = 1; round <= Number(options.partitions); round++) {
    await injectFault(
      `partition ${round} of the primary`,
      async () => {
        const primary = await findPrimary()
        await partition(primary)
        await sleep(30_000)
        await heal(primary)
        await waitUntilHealthy()
      },
      { maxGapMs: MAX_PARTITION_GAP_MS },
    )
  }
  for (const number of NODES.slice(0, Number(options['node-kills']))) {
    await injectFault(`kill of node ${number}`, async () => {
      await stopNode(number, { signal: 'SIGKILL' })
      await sleep(1_000)
      await startNode(number, nodeOptions)
    })
  }
  await injectFault('rolling restart', () => restartNodes(nodeOptions), { mayFail: false })
  const next = { ...nodeOptions, program: createNextRelease() }
  await injectFault('rolling upgrade to a next release with another schema', () => restartNodes(next), {
    mayFail: false,
  })
  await injectFault('restart of one node with this release', () => restartNode(1, nodeOptions), {
    mayFail: false,
  })
  await injectFault('rollback to this release', () => restartNodes(nodeOptions), { mayFail: false })
  const context = await stopLoad()
  log('load ended; verifying all acknowledged changes')
  await backUp()
  const problemsByKind = await verify(context, { mails: () => mails, events: findDeliveredNames })
  for (const [name, found] of Object.entries(problemsByKind))
    problems.push(...found.slice(0, 5).map((entry) => `${name}: ${entry}`))
  const targetTime = await makeMistake(context)
  const restoreProblems = await restoreTo(targetTime, context).catch((error) => [
    `the restore failed: ${error.message}`,
  ])
  problems.push(...restoreProblems)
  log(`point-in-time restore: ${restoreProblems.length === 0 ? 'complete' : 'failed'}`)
  isRestored = restoreProblems.length === 0
} finally {
  await stopProxy()
  await Promise.all(NODES.map((number) => stopNode(number)))
  await stopDatabase()
  for (const name of listProcesses()) await stop(name)
  mailserver.close()
  receiver.close()
}
const crashes = options.crashes === 'no' ? [] : await testDatabaseCrashes()
problems.push(...crashes.filter(({ passed }) => !passed).map(({ setup }) => `crashes of the database: ${setup}`))
report()

/** Upgrades to this release, rolls back, and upgrades again. */
async function upgradeFrom(earlier) {
  const upgrade = () => restartNodes(nodeOptions)
  // The earlier release answers 503 to requests that run during the migration. This release does not.
  await injectFault('rolling upgrade from the earlier release to this one', upgrade)
  const back = () => restartNodes({ ...nodeOptions, program: earlier })
  await injectFault('rollback from this release to the earlier one', back, { mayFail: false })
  await injectFault('rolling upgrade to this release again', upgrade, { mayFail: false })
}

async function createWebhook() {
  const body = { url: `http://127.0.0.1:${receiverPort}/`, events: ['tenant.changed'] }
  const { status } = await send('POST', '/api/admin/webhooks', {
    headers: await authorizeMachine('demo-ops'),
    body,
  })
  if (status !== 201) throw new Error(`the webhook was not created: ${status}`)
}

function findDeliveredNames() {
  const text = JSON.stringify(events)
  return acknowledged.renamed.filter((name) => text.includes(`"${name}"`))
}

function report() {
  problems.push(
    ...stats.unexpectedStatus.slice(0, 10),
    ...acknowledged.lostChains.map((reason) => `a refresh chain was lost: ${reason}`),
    ...acknowledged.rejectedValidTokens.slice(0, 5).map((reason) => `a valid token was rejected: ${reason}`),
    ...acknowledged.unexpected.slice(0, 20),
    ...(stats.withoutRetryAfter > 0 ? [`${stats.withoutRetryAfter} responses with 503 without Retry-After`] : []),
  )
  const changes = [...acknowledged.seats.values()].reduce((sum, { changes: count }) => sum + count, 0)
  log(`${stats.requests} requests: ${JSON.stringify(stats.statuses)}, ${stats.noResponse.length} without a response`)
  for (const reason of stats.noResponse.slice(0, 10)) log(`  ${reason}`)
  log(
    `acknowledged: ${changes} seats, ${acknowledged.invited.size} invitations (${acknowledged.canceled.size} revoked), ${acknowledged.refreshes} refreshes, ${acknowledged.tenants.size} tenants (${acknowledged.deleted.size} deleted), ${acknowledged.registered.size} accounts, ${acknowledged.renamed.length} names; ${mails.length} mails, ${events.length} events`,
  )
  for (const problem of problems) console.error(`PROBLEM ${problem}`)
  log(problems.length === 0 ? 'no problems' : `${problems.length} problems`)
  if (options.report)
    writeReport(options.report, {
      measurements,
      problems,
      changes,
      mails,
      events,
      options,
      isRestored,
      crashes,
    })
  process.exitCode = problems.length === 0 ? 0 : 1
}
