import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { countProcesses } from '../processes.ts'
import { commonEnv, databaseName, findFreePort, launch, type RunningProgram, type Sandbox } from '../programs.ts'
import type { Program } from '../row.ts'
import { getJson, getMachineToken } from './callers.ts'
import { createSecrets, createSeed, type Secrets } from './seed.ts'

export const LATCHKEY = fileURLToPath(new URL('../../../server/bin/latchkey.js', import.meta.url))

/** Starts the service in production mode on a separate database with the seed data. */
export async function startLatchkey(sandbox: Sandbox, name: 'latchkey' | 'latchkey-two'): Promise<RunningProgram> {
  const database = databaseName(name)
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const secrets = createSecrets()
  const { UV_THREADPOOL_SIZE: _, ...common } = commonEnv()
  const env = {
    ...common,
    PORT: String(port),
    BASE_URL: url,
    LATCHKEY_ENCRYPTION_KEY: secrets.encryptionKey,
    DATABASE_URL: await sandbox.database.create(database),
    LATCHKEY_DATA_DIR: join(sandbox.folder, name),
    ...(name === 'latchkey-two' && { WORKERS: '2' }),
  }
  await applySeed(sandbox, { name, secrets, env })
  const child = launch(sandbox, { label: name, args: [LATCHKEY, 'serve'], env })
  await child.waitFor(() => isReady(url))
  if (name === 'latchkey-two' && countProcesses(child.pid) < 2) {
    throw new Error('The service runs as one process instead of two.')
  }
  const outputs = { password: secrets.password, clientSecret: secrets.clientSecret }
  const program: Program = { name, url, outputs }
  return {
    ...program,
    outputs: { ...outputs, ...(await readIds(program)) },
    pid: child.pid,
    database,
    stop: child.stop,
  }
}

interface SeedOptions {
  /** Used in the names of the declaration and the log files. */
  name: string
  secrets: Secrets
  /** The settings of the service. */
  env: Record<string, string>
}

/** Applies the seed declaration to the database in `env`. */
export async function applySeed(sandbox: Sandbox, { name, secrets, env }: SeedOptions): Promise<void> {
  const file = join(sandbox.folder, `${name}.yaml`)
  writeFileSync(file, await createSeed(secrets), { mode: 0o600 })
  const applied = launch(sandbox, { label: `${name}-apply`, args: [LATCHKEY, 'apply', '-f', file], env })
  if ((await applied.ended) !== 0) throw new Error(`latchkey apply failed:\n${applied.readOutput().slice(-2_000)}`)
}

/** True if the service is ready, otherwise undefined. */
export const isReady = (url: string): Promise<true | undefined> =>
  fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok || undefined,
    () => undefined,
  )

interface UserPage {
  users: { id: string; email: string }[]
  pagination: { next: string | null }
}

/** Ids of the seed data, by name. */
export async function readIds(program: Program): Promise<Record<string, string>> {
  const token = await getMachineToken(program, 'bench-ops')
  const { applications } = await getJson<{ applications: { id: string; slug: string }[] }>(
    program,
    '/api/admin/applications',
    token,
  )
  const applicationId = applications.find(({ slug }) => slug === 'bench')?.id ?? ''
  const path = `/api/licensing/license-types?applicationId=${applicationId}`
  const [pro] = await getJson<{ id: string }[]>(program, path, token)
  const people: Record<string, string> = {}
  let next: string | null = ''
  while (next !== null) {
    const after: string = next && `&after=${encodeURIComponent(next)}`
    const page: UserPage = await getJson<UserPage>(program, `/api/admin/users?limit=100${after}`, token)
    for (const { id, email } of page.users) people[email] = id
    next = page.pagination.next
  }
  return { licenseTypeId: pro?.id ?? '', applicationId, people: JSON.stringify(people) }
}
