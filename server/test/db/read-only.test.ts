import { expect, test } from 'vitest'
import { adminOf } from '../support/database.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'

test('while the database is read-only, as in recovery, writes get 503, and they succeed again afterwards', async () => {
  const service = await startDemoService()
  const { name, direct } = service.connection
  const admin = await adminOf(direct.host ?? '')
  /** Affects new connections, as after a failover to a standby and back. */
  const setReadOnly = async (value: 'on' | 'off') => {
    await admin.query(`alter database ${name} set default_transaction_read_only = ${value}`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  }
  const logIn = async () => {
    const response = await fetch(`${service.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'mia@acme.test', password: PASSWORD }),
    })
    return { status: response.status, retryAfter: response.headers.has('retry-after') }
  }
  try {
    expect((await logIn()).status).toBe(200)
    await setReadOnly('on')
    for (let time = 0; time < 10; time++) expect(await logIn()).toEqual({ status: 503, retryAfter: true })
    const causes = service.logs.filter(({ msg }) => msg === 'request failed').map((line) => JSON.stringify(line))
    expect(causes.some((line) => line.includes('"25006"'))).toBe(true)
    await setReadOnly('off')
    await expect.poll(async () => (await logIn()).status).toBe(200)
  } finally {
    await admin.end()
    await service.close()
  }
})
