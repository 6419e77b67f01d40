import pg from 'pg'
import { openSocket } from './lookup.ts'

const PROBE_MS = 2_000

type Place = Pick<pg.Client, 'host' | 'port'>

/** Connections to whichever of several servers takes writes when they are made: now this one, now that one. */
export function clientOf(addresses: string[]): typeof pg.Client {
  let finding: Promise<Place> | undefined
  const find = () => {
    finding ??= findPrimary(addresses).finally(() => {
      finding = undefined
    })
    return finding
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
      Object.assign(this, await find())
      await super.connect()
      // It may have become a standby meanwhile.
      if (await isPrimary(this)) return this
      await this.end()
      throw noPrimary()
    }
  }
}

/** Asks all of them at once. */
async function findPrimary(addresses: string[]): Promise<Place> {
  const probes = addresses.map(async (connectionString) => {
    const client = new pg.Client({
      ...{ connectionString, application_name: 'latchkey', stream: openSocket },
      ...{ connectionTimeoutMillis: PROBE_MS, query_timeout: PROBE_MS },
    })
    // Whoever waits for it hears of its end.
    client.on('error', () => {})
    try {
      await client.connect()
      if (!(await isPrimary(client))) throw noPrimary()
      return { host: client.host, port: client.port }
    } finally {
      void client.end().catch(() => {})
    }
  })
  return Promise.any(probes).catch((cause) => {
    throw noPrimary(cause)
  })
}

async function isPrimary(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('show transaction_read_only')
  return rows[0]?.transaction_read_only === 'off'
}

/** PostgreSQL's own code for a server that cannot be used just now. */
const CANNOT_CONNECT_NOW = '57P03'

function noPrimary(cause?: unknown): Error {
  const error = new Error('none of the servers can be reached and takes writes', { cause })
  return Object.assign(error, { code: CANNOT_CONNECT_NOW })
}
