import cluster from 'node:cluster'
import { inspect } from 'node:util'
import type { Config } from '../../config.ts'
import { type IpcChannel, openIpcChannel } from '../../lib/ipc-channel.ts'
import { startWorkerService } from '../../main.ts'
import { describeError } from '../describe-error.ts'
import { waitForStopSignal, waitForUncaughtError } from '../signals.ts'
import { serveUntil } from '../stop.ts'
import { FAILED, READY, STOP } from './messages.ts'

/**
 * Runs one worker process until it is stopped. Errors are sent to the primary, which reports them once.
 */
export async function runWorker(config: Config): Promise<void> {
  const [stopSignal, fault] = [waitForStopSignal(), waitForUncaughtError()]
  const primary = openIpcChannel(process)
  const reason = Promise.race([stopSignal, fault, stopRequest(primary), primaryGone()])
  let code = 0
  try {
    const service = await startWorkerService(config, primary)
    await primary.send(READY)
    await serveUntil(service, reason)
  } catch (error) {
    const description = describeError(error)
    await primary.send(FAILED, typeof description === 'string' ? description : inspect(description))
    code = 1
  }
  // The IPC channel would keep the process alive.
  process.exit(code)
}

const stopRequest = (primary: IpcChannel) =>
  new Promise<string>((resolve) => primary.onMessage(STOP, () => resolve('requested by the primary')))

/** The primary and with it the port are gone. Node would exit immediately; running requests are finished first. */
const primaryGone = () =>
  new Promise<string>((resolve) => {
    const { worker } = cluster
    worker?.once('disconnect', () => {
      worker.exitedAfterDisconnect = true
      resolve('the primary is gone')
    })
  })
