import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { A, type NameServer, type Names, startNameServer } from '../support/name-server.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { freePort, READY, run, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import { startMailserver } from '../support/smtp.ts'
import { signIn } from '../support/world.ts'

const LOOPBACK = { [A]: [127, 0, 0, 1] }

/** A command that runs a program with this name server only; undefined if that is not possible. */
async function withNameServer(names: Names): Promise<{ server: NameServer; wrap: string[] } | undefined> {
  const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`
  const file = join(tempFolder(), 'resolv.conf')
  writeFileSync(file, `nameserver ${host}\n`)
  const script = `mount --bind ${file} /etc/resolv.conf && exec "$@"`
  const wrap = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, 'sh']
  const [command = '', ...rest] = wrap
  if (spawnSync(command, [...rest, 'true']).status !== 0) return undefined
  const server = await startNameServer(names, host, 53)
  onTestFinished(server.close)
  return { server, wrap }
}

test.runIf(FULL)(
  'unresponsive or slow name servers block neither sign-ins nor database connections, and mail is sent afterwards',
  async ({ skip }) => {
    const names = { 'db.test': LOOPBACK, 'mail.test': LOOPBACK }
    const resolving = await withNameServer(names)
    if (!resolving) return skip('only root may give a program a name server of its own')
    const { server, wrap } = resolving
    const [database, mailserver] = [await startOwnPostgres(), await startMailserver()]
    onTestFinished(database.stop)
    onTestFinished(mailserver.close)
    const PORT = await freePort()
    const url = `http://localhost:${PORT}`
    const env = {
      PORT,
      LATCHKEY_DATA_DIR: join(tempFolder(), 'data'),
      PASSWORD_HASH_MEMORY_MIB: '1',
      DATABASE_URL: database.url.replace('localhost', 'db.test'),
      SMTP_URL: mailserver.url.replace('127.0.0.1', 'mail.test'),
      SSO_PROVIDERS: 'SILENT',
      SSO_SILENT_ISSUER: 'https://silent.test',
      SSO_SILENT_CLIENT_ID: 'latchkey',
      SSO_SILENT_CLIENT_SECRET: 'secret',
    }
    const program = run(['demo'], { env, wrap })
    onTestFinished(async () => {
      program.child.kill('SIGTERM')
      await program.exited
    })
    await program.prints(READY)
    await signIn(url, 'mia@acme.test')

    /** Starts a sign-in with a provider whose name cannot be resolved. */
    const startSsoSignIn = async () => {
      const response = await fetch(`${url}/sso/silent`, { redirect: 'manual' })
      await response.arrayBuffer()
      return response.status
    }
    const watcher = new pg.Client(database.url)
    watcher.on('error', () => {})
    await watcher.connect()
    onTestFinished(() => watcher.end())
    /** Makes the service open all of its connections again. */
    const disconnect = () =>
      watcher.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and pid <> pg_backend_pid()',
      )
    const untilSignedIn = () =>
      expect.poll(() => signIn(url, 'mia@acme.test').catch(String), { timeout: 60_000 }).toMatch(/^\S+=/)

    const forgetPassword = async () => {
      const forgotten = await fetch(`${url}/api/auth/password/forgot`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: 'mia@acme.test' }),
      })
      expect(forgotten.status).toBe(200)
    }

    // One name gets no answer and is requested all the time.
    let asking = true
    const statuses: number[] = []
    const visitors = Array.from({ length: 10 }, async () => {
      while (asking) statuses.push(await startSsoSignIn())
    })
    await expect.poll(server.unanswered).toBeGreaterThan(0)
    await disconnect()
    await untilSignedIn()
    await expect.poll(() => statuses.length).toBeGreaterThan(10)
    expect(new Set(statuses)).toEqual(new Set([503]))

    // All names get no answer.
    server.names = {}
    await disconnect()
    await untilSignedIn()
    await forgetPassword()
    asking = false
    await Promise.all(visitors)

    server.names = names
    const isForMia = (mail: string) => mail.includes('mia@acme.test') && mail.includes('Choose a new password')
    const mails = () =>
      expect.poll(() => mailserver.received.filter(isForMia).length, { timeout: 120_000, interval: 200 })
    await mails().toBe(1)
    expect((await signIn(url, 'mia@acme.test')).length).toBeGreaterThan(0)

    // All of them answer, but slowly.
    server.delayMs = 2_000
    await disconnect()
    await untilSignedIn()
    await forgetPassword()
    await mails().toBe(2)
  },
)
