#!/usr/bin/env node
// A highly available Latchkey on one machine; README.md beside this file says what each command does.
import { rmSync } from 'node:fs'
import {
  findMissing,
  findPrimary,
  heal,
  killPrimary,
  memberName,
  partition,
  readCluster,
  startDatabase,
  stopDatabase,
  switchOver,
  untilWhole,
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
import { names, stop } from './processes.mjs'
import { FOLDER, MEMBERS, NODES } from './settings.mjs'

const COMMANDS = {
  async up() {
    if (names().length > 0)
      throw new Error(`Something runs already from ${FOLDER}. See "status", or "down" first.`)
    try {
      await startDatabase()
      await startNodes()
      await startProxy()
    } catch (error) {
      await takeDown()
      throw error
    }
    console.log(`Latchkey is ready at ${BASE_URL}, on three nodes and three PostgreSQL.`)
  },
  async status() {
    const members = await readCluster().catch(() => [])
    if (names().length === 0) return console.log('Nothing runs.')
    for (const { name, role, state, timeline, lag } of members) {
      console.log(
        `${name}  ${role}  ${state}  timeline ${timeline ?? '?'}${lag ? `  behind by ${lag} bytes` : ''}`,
      )
    }
    for (const number of NODES) {
      const state = (await isReady(number)) ? 'ready' : isRunning(number) ? 'not ready' : 'stopped'
      console.log(`${nodeName(number)}  ${state}`)
    }
  },
  async 'kill-primary'() {
    const before = await killPrimary()
    console.log(`${before.name} was killed.`)
    await untilWhole({ before })
    console.log(`${await findPrimary()} is the primary.`)
  },
  async switchover() {
    const before = await switchOver()
    console.log(`${before.name} hands over.`)
    await untilWhole({ before })
    console.log(`${await findPrimary()} is the primary.`)
  },
  async partition() {
    const name = await findPrimary()
    await partition(name)
    console.log(`${name} is cut off from everything. "heal" brings it back.`)
  },
  async heal() {
    for (const member of MEMBERS) await heal(memberName(member))
    await untilWhole()
    console.log(`All members are connected. ${await findPrimary()} is the primary.`)
  },
  async 'restart-nodes'() {
    await restartNodes()
    console.log('All nodes were restarted, one after the other.')
  },
  async down() {
    await takeDown()
    console.log('Everything is stopped and removed.')
  },
}

async function takeDown() {
  await stopProxy()
  await Promise.all(NODES.map((number) => stopNode(number)))
  await stopDatabase()
  for (const name of names()) await stop(name)
  rmSync(FOLDER, { recursive: true, force: true })
}

const run = COMMANDS[process.argv[2]]
const missing = await findMissing()
if (!run) {
  console.error(`Usage: node ops/ha/ha.mjs ${Object.keys(COMMANDS).join(' | ')}`)
  process.exitCode = 1
} else if (missing.length > 0) {
  console.error(`This needs Debian's packages: ${missing.join(', ')}.`)
  process.exitCode = 1
} else {
  await run().catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
