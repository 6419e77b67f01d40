#!/usr/bin/env node
// Constant work, while the database and the nodes fail in every way we know. `npm run test:ha` runs it.
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SMTPServer } from 'smtp-server'
import {
  findMissing,
  findPrimary,
  heal,
  killPrimary,
  partition,
  startDatabase,
  stopDatabase,
  switchOver,
  untilWhole,
} from '../database.mjs'
import {
  restartNode,
  restartNodes,
  startNode,
  startNodes,
  startProxy,
  stopNode,
  stopProxy,
} from '../nodes.mjs'
import { names, pidOf, stop } from '../processes.mjs'
import { FOLDER, NODES, PORTS } from '../settings.mjs'
import { ask, machine, readGap, record, resetGap } from './client.mjs'
import { killOutright } from './crashes.mjs'
import { makeEarlierRelease } from './earlier-release.mjs'
import { makeNextRelease } from './next-release.mjs'
import { writeReport } from './report.mjs'
import { backUp, makeMistake, restoreTo } from './restore.mjs'
import { verify } from './verify.mjs'
import { beginWork, done } from './work.mjs'

const { values: options } = parseArgs({
  options: {
    kills: { type: 'string', default: '10' },
    switchovers: { type: 'string', default: '2' },
    partitions: { type: 'string', default: '2' },
    'node-kills': { type: 'string', default: '3' },
    database: { type: 'string', default: 'direct' },
    proxy: { type: 'string', default: 'haproxy' },
    /** Whether one PostgreSQL is also killed for seconds, again and again: yes or no. */
    crashes: { type: 'string', default: 'yes' },
    /** A file to which the figures are written, in Markdown. */
    report: { type: 'string' },
  },
})

const CALM_MS = 3_000
const LONGEST_GAP_MS = 10_000
/** A partitioned primary keeps its place until its lease in etcd has ended. */
const LONGEST_GAP_OF_PARTITION_MS = 40_000

const say = (text) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`)

const missing = await findMissing()
if (missing.length > 0) {
  console.log(`Skipped: the drill needs Debian's packages ${missing.join(', ')}.`)
  process.exit(0)
}
if (names().length > 0) {
  console.error(`Something runs already from ${FOLDER}: stop it with "node ops/ha/ha.mjs down".`)
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
  way: options.database,
  env: { SMTP_URL: `smtp://127.0.0.1:${mailPort}`, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
}
const figures = []
let isRestored = false
const problems = []

/** Does something bad, waits until all is well again, and notes for how long nothing succeeded. */
async function suffer(what, fault, { longest = LONGEST_GAP_MS, mayFail = true } = {}) {
  const before = { ...record.statuses }
  const unansweredBefore = record.unanswered.length
  resetGap()
  await fault()
  await sleep(CALM_MS)
  const gap = readGap()
  const failed = (record.statuses[503] ?? 0) - (before[503] ?? 0)
  const unanswered = record.unanswered.length - unansweredBefore
  figures.push({ what, gap, failed, unanswered })
  say(`${what}: ${gap} ms without a success, ${failed} times 503, ${unanswered} not answered`)
  if (gap > longest) problems.push(`${what}: ${gap} ms without a success`)
  if (!mayFail && failed + unanswered > 0) problems.push(`${what}: ${failed + unanswered} requests failed`)
  const dead = NODES.filter((number) => pidOf(`latchkey-${number}`) === undefined)
  if (dead.length > 0) problems.push(`${what}: node ${dead.join(', ')} has ended`)
}

try {
  say('starting three PostgreSQL, three nodes and a proxy')
  await startDatabase()
  const earlier = makeEarlierRelease()
  if (!earlier) say('Skipped: the upgrade from an earlier release, which is not in the history here.')
  await startNodes(earlier ? { ...nodeOptions, program: earlier } : nodeOptions)
  await startProxy(options.proxy)
  await hookUp()
  const endWork = await beginWork()
  say('work has begun')
  await suffer('nothing', () => sleep(10_000), { mayFail: false })
  if (earlier) await upgradeFrom(earlier)
  for (let round = 1; round <= Number(options.kills); round++) {
    await suffer(`kill ${round} of the primary`, async () => {
      const before = await killPrimary()
      await untilWhole({ before })
    })
  }
  for (let round = 1; round <= Number(options.switchovers); round++) {
    await suffer(`switchover ${round}`, async () => {
      const before = await switchOver()
      await untilWhole({ before })
    })
  }
  for (let round = 1; round <= Number(options.partitions); round++) {
    await suffer(
      `partition ${round} of the primary`,
      async () => {
        const cut = await findPrimary()
        await partition(cut)
        await sleep(30_000)
        await heal(cut)
        await untilWhole()
      },
      { longest: LONGEST_GAP_OF_PARTITION_MS },
    )
  }
  for (const number of NODES.slice(0, Number(options['node-kills']))) {
    await suffer(`kill of node ${number}`, async () => {
      await stopNode(number, { signal: 'SIGKILL' })
      await sleep(1_000)
      await startNode(number, nodeOptions)
    })
  }
  await suffer('rolling restart', () => restartNodes(nodeOptions), { mayFail: false })
  const next = { ...nodeOptions, program: makeNextRelease() }
  await suffer('rolling upgrade to a next release with another schema', () => restartNodes(next), {
    mayFail: false,
  })
  await suffer('restart of one node with this release', () => restartNode(1, nodeOptions), {
    mayFail: false,
  })
  await suffer('rollback to this release', () => restartNodes(nodeOptions), { mayFail: false })
  const world = await endWork()
  say('work has ended; looking for everything that was acknowledged')
  await backUp()
  const checked = await verify(world, { mails: () => mails, events: namesInEvents })
  for (const [what, found] of Object.entries(checked))
    problems.push(...found.slice(0, 5).map((one) => `${what}: ${one}`))
  const moment = await makeMistake(world)
  const wrongAfterRestore = await restoreTo(moment, world).catch((error) => [
    `the restore failed: ${error.message}`,
  ])
  problems.push(...wrongAfterRestore)
  say(`restored to the moment before a mistake: ${wrongAfterRestore.length === 0 ? 'whole' : 'not whole'}`)
  isRestored = wrongAfterRestore.length === 0
} finally {
  await stopProxy()
  await Promise.all(NODES.map((number) => stopNode(number)))
  await stopDatabase()
  for (const name of names()) await stop(name)
  mailserver.close()
  receiver.close()
}
const crashes = options.crashes === 'no' ? [] : await killOutright()
problems.push(
  ...crashes.filter(({ isGood }) => !isGood).map(({ setup }) => `crashes of the database: ${setup}`),
)
report()

/** To this release, back to the earlier one, and here again. */
async function upgradeFrom(earlier) {
  const upgrade = () => restartNodes(nodeOptions)
  // The earlier release answers 503 to what is under way at the moment at which the schema changes; this one does not.
  await suffer('rolling upgrade from the earlier release to this one', upgrade)
  const back = () => restartNodes({ ...nodeOptions, program: earlier })
  await suffer('rollback from this release to the earlier one', back, { mayFail: false })
  await suffer('rolling upgrade to this release again', upgrade, { mayFail: false })
}

async function hookUp() {
  const body = { url: `http://127.0.0.1:${receiverPort}/`, events: ['tenant.changed'] }
  const { status } = await ask('POST', '/api/admin/webhooks', { headers: await machine('demo-ops'), body })
  if (status !== 201) throw new Error(`no webhook: ${status}`)
}

function namesInEvents() {
  const text = JSON.stringify(events)
  return done.renamed.filter((name) => text.includes(`"${name}"`))
}

function report() {
  problems.push(
    ...record.wrong.slice(0, 10),
    ...done.lostChains.map((reason) => `a refresh chain was lost: ${reason}`),
    ...done.falseRefusals.slice(0, 5).map((reason) => `a good token was refused: ${reason}`),
    ...done.unexpected.slice(0, 20),
    ...(record.unadvised > 0 ? [`${record.unadvised} answers of 503 without Retry-After`] : []),
  )
  const changes = [...done.seats.values()].reduce((sum, { changes: count }) => sum + count, 0)
  say(
    `${record.requests} requests: ${JSON.stringify(record.statuses)}, ${record.unanswered.length} not answered`,
  )
  for (const reason of record.unanswered.slice(0, 10)) say(`  ${reason}`)
  say(
    `acknowledged: ${changes} seats, ${done.invited.size} invitations (${done.canceled.size} taken back), ${done.refreshes} refreshes, ${done.tenants.size} tenants (${done.deleted.size} deleted), ${done.registered.size} accounts, ${done.renamed.length} names; ${mails.length} mails, ${events.length} events`,
  )
  for (const problem of problems) console.error(`WRONG ${problem}`)
  say(problems.length === 0 ? 'everything is as it should be' : `${problems.length} problems`)
  if (options.report)
    writeReport(options.report, { figures, problems, changes, mails, events, options, isRestored, crashes })
  process.exitCode = problems.length === 0 ? 0 : 1
}
