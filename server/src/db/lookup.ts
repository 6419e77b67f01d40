import { lookup } from 'node:dns/promises'
import { type LookupFunction, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Connections to the database are renewed all the time. The system looks up names in few threads, where a name whose
 * servers are silent keeps all others waiting. So that no outage of name servers becomes one of the database, each
 * name is looked up once at a time, and where that takes long its last addresses are used.
 */

/** Far less than a connection may take. */
const PATIENCE_MS = 500

type Addresses = Awaited<ReturnType<typeof askSystem>>
const askSystem = (hostname: string) => lookup(hostname, { all: true })

const asking = new Map<string, Promise<Addresses>>()
/** By the names of the operator's own database, which are few. */
const last = new Map<string, Addresses>()

async function ask(hostname: string): Promise<Addresses> {
  try {
    const addresses = await askSystem(hostname)
    last.set(hostname, addresses)
    return addresses
  } finally {
    asking.delete(hostname)
  }
}

async function resolve(hostname: string): Promise<Addresses> {
  const answer = asking.get(hostname) ?? ask(hostname)
  asking.set(hostname, answer)
  const known = last.get(hostname)
  if (!known) return answer
  return Promise.race([
    // A name server that says that there is no such name is believed; one that is silent says nothing.
    answer.catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EAI_AGAIN') return known
      throw error
    }),
    sleep(PATIENCE_MS, known, { ref: false }),
  ])
}

const lookUp: LookupFunction = (hostname, options, done) => {
  resolve(hostname).then(
    (addresses) => {
      const [first] = addresses
      if (options.all) done(null, addresses)
      else done(null, first?.address ?? '', first?.family)
    },
    (error: NodeJS.ErrnoException) => done(error, '', 0),
  )
}

/** A socket for the driver, which says where to only when it connects: to a port of a host, or to a path. */
export function openSocket(): Socket {
  const socket = new Socket()
  const connect = socket.connect.bind(socket) as (...target: unknown[]) => Socket
  socket.connect = ((to: number | string, host?: string) =>
    host === undefined ? connect(to) : connect({ port: to, host, lookup: lookUp })) as typeof socket.connect
  return socket
}
