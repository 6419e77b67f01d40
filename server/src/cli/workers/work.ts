import cluster from 'node:cluster'
import { inspect } from 'node:util'
import type { Config } from '../../config.ts'
import { type Conversation, converse } from '../../lib/conversation.ts'
import { startShare } from '../../main.ts'
import { describeError } from '../describe-error.ts'
import { listenForFault, listenForStop } from '../signals.ts'
import { serveUntil } from '../stopping.ts'
import { FAILED, READY, STOP } from './messages.ts'

/**
 * Runs one of several processes of the service until it is told to stop. The first process says what is wrong, so that
 * it is said once.
 */
export async function runWorker(config: Config): Promise<void> {
  const [told, fault] = [listenForStop(), listenForFault()]
  const host = converse(process)
  const reason = Promise.race([told, fault, dismissal(host), orphanhood()])
  let code = 0
  try {
    const service = await startShare(config, host)
    await host.tell(READY)
    await serveUntil(service, reason)
  } catch (error) {
    const said = describeError(error)
    await host.tell(FAILED, typeof said === 'string' ? said : inspect(said))
    code = 1
  }
  // The way to the first process would keep it alive.
  process.exit(code)
}

const dismissal = (host: Conversation) =>
  new Promise<string>((resolve) => host.hear(STOP, () => resolve('told by the first process')))

/** The first process is gone, and with it the port. Node would end this one at once; requests under way are finished first. */
const orphanhood = () =>
  new Promise<string>((resolve) => {
    const { worker } = cluster
    worker?.once('disconnect', () => {
      worker.exitedAfterDisconnect = true
      resolve('the first process is gone')
    })
  })
