import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { applyWorld, isReady, LATCHKEY, readIds } from '../latchkey/program.ts'
import { newKeys } from '../latchkey/world.ts'
import { commonEnv, freePort, launch, type Site } from '../programs.ts'
import type { Program } from '../row.ts'

/** Two nodes of the service on one database, as they run in production behind a load balancer. */

export const DATABASE = 'soak'

export interface Node extends Program {
  label: string
  pid: number
  metricsToken: string
}

export async function startNodes(site: Site, ports: { mail: number }): Promise<[Node, Node]> {
  const keys = newKeys()
  const metricsToken = randomBytes(24).toString('hex')
  const { UV_THREADPOOL_SIZE: _, ...common } = commonEnv()
  const addresses = [await freePort(), await freePort()] as const
  const shared = {
    ...{ ...common, LATCHKEY_ENCRYPTION_KEY: keys.encryptionKey, METRICS_TOKEN: metricsToken },
    ...{ BASE_URL: `http://127.0.0.1:${addresses[0]}`, DATABASE_URL: await site.database.create(DATABASE) },
    ...{ SMTP_URL: `smtp://127.0.0.1:${ports.mail}`, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  }
  await applyWorld(site, { name: DATABASE, keys, env: { ...shared, PORT: String(addresses[0]) } })
  const start = async (label: string, port: number): Promise<Node> => {
    const env = { ...shared, PORT: String(port), LATCHKEY_DATA_DIR: join(site.folder, label) }
    const url = `http://127.0.0.1:${port}`
    const child = launch(site, { label, args: [LATCHKEY, 'serve'], env })
    await child.until(() => isReady(url))
    const program: Program = {
      ...{ name: 'latchkey', url },
      facts: { password: keys.password, clientSecret: keys.clientSecret },
    }
    const facts = { ...program.facts, ...(await readIds(program)) }
    return { ...program, facts, label, pid: child.pid, metricsToken }
  }
  return [await start('node-1', addresses[0]), await start('node-2', addresses[1])]
}
