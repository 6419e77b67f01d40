import type { Server } from 'node:http'
import pg from 'pg'

export interface PeerSettings {
  host: string
  port: number
  /** The base URL. Providers use it as the issuer. */
  url: string
  pool: pg.Pool
}

export function readPeerSettings(env: NodeJS.ProcessEnv): PeerSettings {
  const host = env.HOST ?? '127.0.0.1'
  const port = Number(env.PORT)
  if (!Number.isInteger(port) || port < 1) throw new Error('PORT must be a port number.')
  if (!env.DATABASE_URL) throw new Error('DATABASE_URL must name an empty database.')
  // 10 is the default of pg.
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 10 })
  return { host, port, url: `http://${host}:${port}`, pool }
}

/** Listens, reports readiness, and exits on SIGTERM. The database is temporary, so nothing has to be saved. */
export async function serve(server: Server, settings: PeerSettings, outputs: Record<string, string>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port, settings.host, resolve)
  })
  process.once('SIGTERM', () => process.exit(0))
  process.stdout.write(`${JSON.stringify({ ready: true, ...outputs })}\n`)
}
