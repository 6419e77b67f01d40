import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { outgoingNetworks } from '../../applications/clients/authentication-rules.ts'
import type { Ctx } from '../../context.ts'
import type { ClientOrigin } from '../../db/tables.ts'
import { defineJob } from '../../jobs/job.ts'
import { abortAfterGrace } from '../../lib/concurrency/grace-period.ts'
import { createGuard } from '../../lib/outgoing/guard.ts'
import { attemptLogout } from './attempt.ts'
import { claimLogout, type DueLogout } from './store.ts'

/** Requests that one node makes concurrently, in total and to one client, so that a slow client does not block others. */
const MAX_REQUESTS = 16
const MAX_REQUESTS_PER_CLIENT = 4
/** To a client that did not respond to the last one, so that several of them do not block others either. */
const MAX_REQUESTS_PER_SILENT_CLIENT = 1
/** To all clients that no administrator registered: nobody vouches for their addresses. */
const MAX_REQUESTS_TO_OUTSIDE = 8
/** Longer than a request may take. The attempts of a killed node are repeated after this time. */
const LEASE_MS = 30_000
/** The interval in which a node looks for due logouts, while it sends some and while it does not. */
const POLL_MS = 250
const IDLE_POLL_MS = 5_000
/** How long running requests may continue after the node was asked to stop. */
const GRACE_MS = 2_000

/** The requests that this node is making, with the client of each. */
type Running = Map<Promise<void>, Pick<DueLogout, 'clientRowId' | 'origin'>>

interface Progress {
  running: Running
  /** The clients that did not respond to the last request. */
  silent: Set<string>
}

/** Sends the logout tokens that are due. It runs on every node. */
export async function sendLogoutTokens(ctx: Ctx, stop: AbortSignal): Promise<void> {
  const guardFor = (origin: ClientOrigin) => createGuard(outgoingNetworks(ctx.config, origin))
  const running: Running = new Map()
  const progress = { running, silent: new Set<string>() }
  const grace = abortAfterGrace(stop, GRACE_MS)
  try {
    do {
      await startAttempts(ctx, progress, (logout) => attemptLogout(ctx, guardFor(logout.origin), logout, grace.signal))
      if (running.size > 0) await Promise.race([...running.keys(), pause(stop)])
    } while (running.size > 0 && !stop.aborted)
  } finally {
    await Promise.all(running.keys())
    grace.dispose()
  }
}

const pause = (stop: AbortSignal) => sleep(POLL_MS, undefined, { signal: stop }).catch(() => {})

async function startAttempts(
  ctx: Ctx,
  { running, silent }: Progress,
  attempt: (logout: DueLogout) => Promise<{ responded: boolean }>,
): Promise<void> {
  while (running.size < MAX_REQUESTS) {
    const now = ctx.now()
    const until = new Date(now.getTime() + LEASE_MS)
    const logout = await claimLogout(ctx.db, {
      holder: randomUUID(),
      fullClients: listFullClients({ running, silent }),
      toOutsideClients: countOutside(running) < MAX_REQUESTS_TO_OUTSIDE,
      now,
      until,
    })
    if (!logout) return
    const { clientRowId } = logout
    const task: Promise<void> = attempt(logout)
      .then(({ responded }) => void (responded ? silent.delete(clientRowId) : silent.add(clientRowId)))
      // It is repeated when the lease ends.
      .catch((err: unknown) => ctx.log.warn({ err, clientId: logout.clientId }, 'logout token could not be sent'))
      .finally(() => running.delete(task))
    running.set(task, logout)
  }
}

const countOutside = (running: Running): number =>
  [...running.values()].filter(({ origin }) => origin !== 'ADMIN').length

function listFullClients({ running, silent }: Progress): string[] {
  const clients = [...running.values()].map(({ clientRowId }) => clientRowId)
  const maxOf = (id: string) => (silent.has(id) ? MAX_REQUESTS_PER_SILENT_CLIENT : MAX_REQUESTS_PER_CLIENT)
  return [...new Set(clients)].filter((id) => clients.filter((other) => other === id).length >= maxOf(id))
}

export const sendLogouts = defineJob<AbortSignal>({
  name: 'send_logout_tokens',
  everyMs: IDLE_POLL_MS,
  wakeOn: 'logout_deliveries',
  run: sendLogoutTokens,
})
