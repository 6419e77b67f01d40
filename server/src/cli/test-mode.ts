import type { Environment } from '../config/reader.ts'
import { createLogger } from '../lib/logger.ts'
import { loadTestConfig } from '../test-mode/config.ts'
import { startTestInstance } from '../test-mode/instance.ts'
import { DEMO_DECLARATION, DEMO_PASSWORD, seedDemoData } from './demo-data.ts'
import { waitForStopSignal, waitForUncaughtError } from './signals.ts'
import { createDatabaseLostError, DATABASE_LOST, startStopDeadline } from './stop.ts'

interface Options {
  seed: number | undefined
  json: boolean
}

/** Runs test mode until it is stopped. The first line of the output says where, and all log lines go to the other stream. */
export async function runTestMode(env: Environment, { seed, json }: Options): Promise<void> {
  const [stopSignal, fault] = [waitForStopSignal(), waitForUncaughtError()]
  const testConfig = loadTestConfig(env)
  const { logLevel, warnings } = testConfig.config
  const log = createLogger(logLevel, process.stderr)
  for (const warning of warnings) log.warn(warning)
  const data = { path: DEMO_DECLARATION, insert: seedDemoData }
  const instance = await startTestInstance({ ...testConfig, data, seed, log })
  const { baseUrl } = instance
  console.log(json ? JSON.stringify({ baseUrl }) : createWelcome(baseUrl))
  const lost = instance.lost.then(() => DATABASE_LOST)
  try {
    if ((await Promise.race([stopSignal, lost, fault])) === DATABASE_LOST) throw createDatabaseLostError()
  } finally {
    startStopDeadline()
    await instance.close()
  }
}

const createWelcome = (baseUrl: string) => `Latchkey is ready at ${baseUrl}

  Test mode: anybody who can reach this address controls it, and all data is deleted at the end.

  Clock      ${baseUrl}/test/clock     GET, POST {"now"} or {"advanceSeconds"}, DELETE
  Faults     ${baseUrl}/test/faults    GET, POST {"status": 503, "times": 2}, DELETE
  Seed       ${baseUrl}/test/seed      POST a declaration
  Reset      ${baseUrl}/test/reset     POST
  Mail       ${baseUrl}/dev/mailbox/messages

  The accounts are those of the demo, all with the password ${DEMO_PASSWORD}.`
