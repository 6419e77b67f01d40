import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { countProcesses } from '../processes.ts'
import { commonEnv, databaseName, freePort, launch, type Running, type Site } from '../programs.ts'
import type { Program } from '../row.ts'
import { getJson, getMachineToken } from './callers.ts'
import { declareWorld, type Keys, newKeys } from './world.ts'

export const LATCHKEY = fileURLToPath(new URL('../../../server/bin/latchkey.js', import.meta.url))

/** Runs the service for production on a database of its own, with the world of the bench in it. */
export async function startLatchkey(site: Site, name: 'latchkey' | 'latchkey-two'): Promise<Running> {
  const database = databaseName(name)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const keys = newKeys()
  const { UV_THREADPOOL_SIZE: _, ...common } = commonEnv()
  const env = {
    ...{ ...common, PORT: String(port), BASE_URL: url, LATCHKEY_ENCRYPTION_KEY: keys.encryptionKey },
    ...{ DATABASE_URL: await site.database.create(database), LATCHKEY_DATA_DIR: join(site.folder, name) },
    ...(name === 'latchkey-two' && { WORKERS: '2' }),
  }
  await applyWorld(site, { name, keys, env })
  const child = launch(site, { label: name, args: [LATCHKEY, 'serve'], env })
  await child.until(() => isReady(url))
  if (name === 'latchkey-two' && countProcesses(child.pid) < 2) {
    throw new Error('The service was to run as two processes, and runs as one.')
  }
  const facts = { password: keys.password, clientSecret: keys.clientSecret }
  const program: Program = { name, url, facts }
  return {
    ...program,
    ...{ facts: { ...facts, ...(await readIds(program)) }, pid: child.pid, database, stop: child.stop },
  }
}

interface World {
  /** Names its file and its log. */
  name: string
  keys: Keys
  /** The settings of the service. */
  env: Record<string, string>
}

/** Declares the world of the bench in the database that the settings name. */
export async function applyWorld(site: Site, { name, keys, env }: World): Promise<void> {
  const file = join(site.folder, `${name}.yaml`)
  writeFileSync(file, await declareWorld(keys), { mode: 0o600 })
  const applied = launch(site, { label: `${name}-apply`, args: [LATCHKEY, 'apply', '-f', file], env })
  if ((await applied.ended) !== 0)
    throw new Error(`latchkey apply failed:\n${applied.readOutput().slice(-2_000)}`)
}

/** True as soon as the service is ready. */
export const isReady = (url: string): Promise<true | undefined> =>
  fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok || undefined,
    () => undefined,
  )

interface UserPage {
  users: { id: string; email: string }[]
  pagination: { next: string | null }
}

/** The ids of what was declared. */
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
