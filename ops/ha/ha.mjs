#!/usr/bin/env node
// Runs a highly available Latchkey on one machine. README.md describes the commands.
import { rmSync } from 'node:fs'
import {
  findMissing,
  findPrimary,
  killPrimary,
  readCluster,
  startDatabase,
  stopDatabase,
  switchOver,
  waitUntilHealthy,
} from './database.mjs'
import {
  BASE_URL,
  isReady,
  isRunning,
  nodeName,
  restartNodes,
  startNodes,
  startProxy,
  stopNode,
  stopProxy,
} from './nodes.mjs'
import { listProcesses, stop } from './processes.mjs'
import { heal, partition } from './relays.mjs'
import { FOLDER, MEMBERS, memberName, NODES } from './settings.mjs'

const COMMANDS = {
  async up() {
    if (listProcesses().length > 0)
      throw new Error(`Processes of ${FOLDER} are already running. Run "status" or "down" first.`)
    try {
      await startDatabase()
      await startNodes()
      await startProxy()
    } catch (error) {
      await stopAll()
      throw error
    }
    console.log(`Latchkey is ready at ${BASE_URL}, with three nodes and three PostgreSQL servers.`)
  },
  async status() {
    const members = await readCluster().catch(() => [])
    if (listProcesses().length === 0) return console.log('Nothing is running.')
    for (const { name, role, state, timeline, lag } of members) {
      console.log(`${name}  ${role}  ${state}  timeline ${timeline ?? '?'}${lag ? `  behind by ${lag} bytes` : ''}`)
    }
    for (const number of NODES) {
      const state = (await isReady(number)) ? 'ready' : isRunning(number) ? 'not ready' : 'stopped'
      console.log(`${nodeName(number)}  ${state}`)
    }
  },
  async 'kill-primary'() {
    const before = await killPrimary()
    console.log(`${before.name} was killed.`)
    await waitUntilHealthy({ before })
    console.log(`${await findPrimary()} is the primary.`)
  },
  async switchover() {
    const before = await switchOver()
    console.log(`${before.name} hands over.`)
    await waitUntilHealthy({ before })
    console.log(`${await findPrimary()} is the primary.`)
  },
  async partition() {
    const name = await findPrimary()
    await partition(name)
    console.log(`${name} is disconnected. "heal" reconnects it.`)
  },
  async heal() {
    for (const member of MEMBERS) await heal(memberName(member))
    await waitUntilHealthy()
    console.log(`All members are connected. ${await findPrimary()} is the primary.`)
  },
  async 'restart-nodes'() {
    await restartNodes()
    console.log('All nodes were restarted.')
  },
  async down() {
    await stopAll()
    console.log('Everything is stopped and removed.')
  },
}

async function stopAll() {
  await stopProxy()
  await Promise.all(NODES.map((number) => stopNode(number)))
  await stopDatabase()
  for (const name of listProcesses()) await stop(name)
  rmSync(FOLDER, { recursive: true, force: true })
}

const run = COMMANDS[process.argv[2]]
const missing = await findMissing()
if (!run) {
  console.error(`Usage: node ops/ha/ha.mjs ${Object.keys(COMMANDS).join(' | ')}`)
  process.exitCode = 1
} else if (missing.length > 0) {
  console.error(`Missing Debian packages: ${missing.join(', ')}.`)
  process.exitCode = 1
} else {
  await run().catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
