import { lookup } from 'node:dns/promises'
import { type LookupFunction, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * DNS lookups for database connections, which are renewed all the time. getaddrinfo runs in a small thread pool, where
 * one unanswered lookup blocks the others. To survive an outage of the name servers, each name has one pending lookup
 * at a time, and its last addresses are used if the lookup is slow or fails temporarily.
 */

/** Far below the connection timeout. */
const LOOKUP_TIMEOUT_MS = 500

type Addresses = Awaited<ReturnType<typeof lookupAll>>
const lookupAll = (hostname: string) => lookup(hostname, { all: true })

const pendingLookups = new Map<string, Promise<Addresses>>()
/** Bounded, because the keys are the host names of the configured database. */
const lastAddresses = new Map<string, Addresses>()

async function lookupAndRemember(hostname: string): Promise<Addresses> {
  try {
    const addresses = await lookupAll(hostname)
    lastAddresses.set(hostname, addresses)
    return addresses
  } finally {
    pendingLookups.delete(hostname)
  }
}

async function resolve(hostname: string): Promise<Addresses> {
  const pending = pendingLookups.get(hostname) ?? lookupAndRemember(hostname)
  pendingLookups.set(hostname, pending)
  const last = lastAddresses.get(hostname)
  if (!last) return pending
  return Promise.race([
    // Only a temporary failure falls back to the last addresses; "no such name" is final.
    pending.catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EAI_AGAIN') return last
      throw error
    }),
    sleep(LOOKUP_TIMEOUT_MS, last, { ref: false }),
  ])
}

const lookupWithFallback: LookupFunction = (hostname, options, done) => {
  resolve(hostname).then(
    (addresses) => {
      const [first] = addresses
      if (options.all) done(null, addresses)
      else done(null, first?.address ?? '', first?.family)
    },
    (error: NodeJS.ErrnoException) => done(error, '', 0),
  )
}

/** A socket for the driver. The driver passes the target to `connect`: a port and a host, or a path. */
export function openSocket(): Socket {
  const socket = new Socket()
  const connect = socket.connect.bind(socket) as (...target: unknown[]) => Socket
  socket.connect = ((target: number | string, host?: string) =>
    host === undefined
      ? connect(target)
      : connect({ port: target, host, lookup: lookupWithFallback })) as typeof socket.connect
  return socket
}
