import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { runCommandHere } from './command.ts'
import { createDatabase, openTestPool, type TestDatabase } from './database.ts'
import { freePort, type Program, run, tempFolder } from './program.ts'

/** Two service processes on one database. */
export interface TwoProcesses {
  urls: [string, string]
  /** The base URL of both. */
  baseUrl: string
  /** A direct connection to the database. */
  db: pg.Pool
  close(): Promise<void>
}

/** A database with the declaration applied, and the environment variables for processes on it. */
export interface PreparedDatabase {
  database: TestDatabase
  env: Record<string, string>
}

export async function prepareDatabase(
  declaration: string,
  extraEnv: Record<string, string> = {},
): Promise<PreparedDatabase> {
  const folder = tempFolder()
  const database = await createDatabase()
  const env = {
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    LATCHKEY_DATA_DIR: join(folder, 'data'),
    LATCHKEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...extraEnv,
  }
  const file = join(folder, 'declaration.yaml')
  writeFileSync(file, declaration)
  const { code, output } = await runCommandHere(['apply', '-f', file], env)
  if (code !== 0) throw new Error(`the declaration was not applied: ${output}`)
  return { database, env }
}

/** Applies the declaration to an empty database, and starts two service processes on it. */
export async function startTwoProcesses(
  declaration: string,
  extraEnv: Record<string, string> = {},
): Promise<TwoProcesses> {
  const { database, env } = await prepareDatabase(declaration, extraEnv)
  const ports = [await freePort(), await freePort()] as const
  const urls: [string, string] = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`]
  const programs = ports.map((PORT) => run(['serve'], { env: { ...env, BASE_URL: urls[0], PORT } }))
  const db = openTestPool({ ...database.pooled, max: 4 })
  const close = async () => {
    await Promise.all(programs.map(stop))
    await db.end()
    await database.close()
  }
  try {
    for (const program of programs) await program.prints('"msg":"ready"')
  } catch (error) {
    await close()
    throw error
  }
  return { urls, baseUrl: urls[0], db, close }
}

async function stop({ child, exited }: Program): Promise<void> {
  child.kill('SIGTERM')
  await exited
}
