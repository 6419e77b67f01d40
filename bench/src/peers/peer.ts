import type { Server } from 'node:http'
import pg from 'pg'

/** What a program is told by its environment. */
export interface Place {
  host: string
  port: number
  /** Where it answers; providers write it into what they sign. */
  url: string
  pool: pg.Pool
}

/** The port to listen at and the empty database to work on. */
export function readPlace(env: NodeJS.ProcessEnv): Place {
  const host = env.HOST ?? '127.0.0.1'
  const port = Number(env.PORT)
  if (!Number.isInteger(port) || port < 1) throw new Error('PORT must be the number of a port.')
  if (!env.DATABASE_URL) throw new Error('DATABASE_URL must name an empty database.')
  // Ten connections, as many as the pool of pg opens when nothing is said.
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 10 })
  return { host, port, url: `http://${host}:${port}`, pool }
}

/** Opens the door, says that it is open, and ends when asked to. Its database goes with it: nothing has to be saved. */
export async function serve(server: Server, place: Place, facts: Record<string, string>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(place.port, place.host, resolve)
  })
  process.once('SIGTERM', () => process.exit(0))
  process.stdout.write(`${JSON.stringify({ ready: true, ...facts })}\n`)
}
