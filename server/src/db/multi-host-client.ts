import pg from 'pg'
import { openSocket } from './dns-lookup.ts'

const PROBE_TIMEOUT_MS = 2_000
const READ_ONLY = 'the server is read-only'

type HostAndPort = Pick<pg.Client, 'host' | 'port'>

/** A client class that connects to the server that currently accepts writes. `urls`: the same URL once per server. */
export function createMultiHostClient(urls: string[]): typeof pg.Client {
  let pendingSearch: Promise<HostAndPort> | undefined
  const findPrimaryOnce = () => {
    pendingSearch ??= findPrimary(urls).finally(() => {
      pendingSearch = undefined
    })
    return pendingSearch
  }

  return class extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: Parameters<pg.Client['connect']>[0]): void
    override connect(callback?: Parameters<pg.Client['connect']>[0]): Promise<pg.Client> | undefined {
      const connected = this.#connectToPrimary()
      if (!callback) return connected
      const report = callback as (error?: Error) => void
      connected.then(() => report(), report)
      return undefined
    }

    async #connectToPrimary(): Promise<pg.Client> {
      // pg.Client reads `host` and `port` when it connects.
      Object.assign(this, await findPrimaryOnce())
      await super.connect()
      // It may have become a standby in the meantime.
      if (await acceptsWrites(this)) return this
      await this.end()
      throw unavailable(READ_ONLY)
    }
  }
}

/** Probes all servers concurrently. */
async function findPrimary(urls: string[]): Promise<HostAndPort> {
  const probes = urls.map(async (connectionString) => {
    const client = new pg.Client({
      connectionString,
      application_name: 'latchkey',
      stream: openSocket,
      connectionTimeoutMillis: PROBE_TIMEOUT_MS,
      query_timeout: PROBE_TIMEOUT_MS,
    })
    // The pending connect or query fails as well, so the event is ignored.
    client.on('error', () => {})
    try {
      await client.connect()
      if (!(await acceptsWrites(client))) throw unavailable(READ_ONLY)
      return { host: client.host, port: client.port }
    } finally {
      void client.end().catch(() => {})
    }
  })
  return Promise.any(probes).catch((cause) => {
    throw unavailable('no database server is reachable and accepts writes', cause)
  })
}

async function acceptsWrites(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('show transaction_read_only')
  return rows[0]?.transaction_read_only === 'off'
}

/** SQLSTATE cannot_connect_now. */
const CANNOT_CONNECT_NOW = '57P03'

function unavailable(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: CANNOT_CONNECT_NOW })
}
