import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { applySeed, isReady, LATCHKEY, readIds } from '../latchkey/program.ts'
import { createSecrets } from '../latchkey/seed.ts'
import { commonEnv, findFreePort, launch, type Sandbox } from '../programs.ts'
import type { Program } from '../row.ts'

/** Two nodes of the service on one database, as they run in production behind a load balancer. */

export const DATABASE = 'soak'

export interface Node extends Program {
  label: string
  pid: number
  metricsToken: string
}

export async function startNodes(sandbox: Sandbox, ports: { mail: number }): Promise<[Node, Node]> {
  const secrets = createSecrets()
  const metricsToken = randomBytes(24).toString('hex')
  const { UV_THREADPOOL_SIZE: _, ...common } = commonEnv()
  const nodePorts = [await findFreePort(), await findFreePort()] as const
  const shared = {
    ...common,
    LATCHKEY_ENCRYPTION_KEY: secrets.encryptionKey,
    METRICS_TOKEN: metricsToken,
    BASE_URL: `http://127.0.0.1:${nodePorts[0]}`,
    DATABASE_URL: await sandbox.database.create(DATABASE),
    SMTP_URL: `smtp://127.0.0.1:${ports.mail}`,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  }
  await applySeed(sandbox, { name: DATABASE, secrets, env: { ...shared, PORT: String(nodePorts[0]) } })
  const start = async (label: string, port: number): Promise<Node> => {
    const env = { ...shared, PORT: String(port), LATCHKEY_DATA_DIR: join(sandbox.folder, label) }
    const url = `http://127.0.0.1:${port}`
    const child = launch(sandbox, { label, args: [LATCHKEY, 'serve'], env })
    await child.waitFor(() => isReady(url))
    const program: Program = {
      name: 'latchkey',
      url,
      outputs: { password: secrets.password, clientSecret: secrets.clientSecret },
    }
    const outputs = { ...program.outputs, ...(await readIds(program)) }
    return { ...program, outputs, label, pid: child.pid, metricsToken }
  }
  return [await start('node-1', nodePorts[0]), await start('node-2', nodePorts[1])]
}
