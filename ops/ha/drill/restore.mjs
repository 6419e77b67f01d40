// Restores the database to the time before a mistake, in a second server.
import { execFile } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ARCHIVE, findPrimary, query } from '../database.mjs'
import { nodeSettings } from '../nodes.mjs'
import { asPostgres, isRoot, start, stop, waitUntil } from '../processes.mjs'
import { FOLDER, LATCHKEY, memberOf, PASSWORDS, PORTS, postgresPrograms } from '../settings.mjs'
import { sendWithRetries } from './client.mjs'

const runFile = promisify(execFile)
const folder = join(FOLDER, 'restored')
const port = PORTS.proxy + 82

/** Takes a base backup of the running primary. */
export async function backUp() {
  const primary = memberOf(await findPrimary())
  const [command, ...args] = asPostgres([
    join(postgresPrograms(), 'pg_basebackup'),
    '-h',
    '127.0.0.1',
    '-p',
    String(PORTS.postgres(primary)),
    '-U',
    'replication',
    '-D',
    folder,
    '-X',
    'none',
    '--checkpoint=fast',
    '--no-sync',
  ])
  await runFile('mkdir', ['-p', folder])
  if (isRoot) await runFile('chown', ['postgres:', folder])
  await runFile('chmod', ['700', folder])
  await runFile(command, args, { env: { ...process.env, PGPASSWORD: PASSWORDS.replication } })
}

/** Deletes a tenant and returns the time before. */
export async function makeMistake({ owner, acme }) {
  await sleep(1_500)
  const before = new Date()
  await sleep(1_500)
  const { status } = await sendWithRetries('DELETE', `/api/tenants/${acme}`, { headers: owner })
  if (status !== 200) throw new Error(`the tenant was not deleted: ${status}`)
  return before
}

/** Restores the backup to the given time and returns the problems found. */
export async function restoreTo(targetTime, { acme }) {
  // The archive must contain everything up to now.
  const { stdout } = await query(`select pg_walfile_name(pg_switch_wal())`)
  await waitUntil('the archive', () => readdirSync(ARCHIVE).includes(stdout.trim()))
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: folder,
    archive_mode: 'off',
    synchronous_standby_names: '',
    primary_conninfo: '',
    primary_slot_name: '',
    hba_file: join(folder, 'hba'),
    restore_command: `cp ${ARCHIVE}/%f %p`,
    recovery_target_time: targetTime.toISOString().replace('T', ' ').replace('Z', '+00'),
    recovery_target_action: 'promote',
  }
  writeFileSync(join(folder, 'hba'), 'host all all 127.0.0.1/32 trust\n', { mode: 0o644 })
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`)
  appendFileSync(join(folder, 'postgresql.auto.conf'), `${lines.join('\n')}\n`)
  writeFileSync(join(folder, 'recovery.signal'), '')
  for (const file of ['standby.signal']) if (existsSync(join(folder, file))) await runFile('rm', [join(folder, file)])
  if (isRoot) await runFile('chown', ['-R', 'postgres:', folder])
  start('restored', [join(postgresPrograms(), 'postgres'), '-D', folder], { asPostgres: true })
  try {
    const isRecovered = async () =>
      (await query('select pg_is_in_recovery()', { port, database: 'latchkey' })).stdout.trim() === 'f'
    await waitUntil('the restored database', isRecovered)
    const count = async (options) =>
      (
        await query(`select count(*) from tenants where id = '${acme}'`, { database: 'latchkey', ...options })
      ).stdout.trim()
    const [restored, now] = [await count({ port }), await count({})]
    const env = {
      ...process.env,
      ...nodeSettings(1),
      DATABASE_URL: `postgres://latchkey@127.0.0.1:${port}/latchkey`,
    }
    const verified = await runFile(process.execPath, [LATCHKEY, 'verify'], { env }).catch((error) => error)
    return [
      ...(restored === '1' && now === '0'
        ? []
        : [`the tenant is there ${restored} times after the restore, ${now} times without`]),
      ...(verified.code ? [`latchkey verify found: ${verified.stderr}${verified.stdout}`] : []),
    ]
  } finally {
    await stop('restored', { signal: 'SIGINT' })
  }
}
