import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createDatabase, TEMPLATES } from '../support/database.ts'
import { runToEnd, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'

test.runIf(FULL)('latchkey verify reports missing rows and a wrong encryption key', async () => {
  const database = await createDatabase(TEMPLATES.demo)
  onTestFinished(database.close)
  const folder = tempFolder()
  const env = {
    DATABASE_URL: database.url,
    LATCHKEY_DATA_DIR: join(folder, 'data'),
    LATCHKEY_ENCRYPTION_KEY: inject('sealKey'),
    BASE_URL: 'http://localhost:3000',
    SMTP_URL: 'smtp://localhost:25',
  }
  const intact = await runToEnd(['verify'], { env })
  expect(intact).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^users +6$[\s\S]*All is well\.$/m),
  })
  const counts = join(folder, 'counts.json')
  writeFileSync(counts, (await runToEnd(['verify', '--json'], { env })).output)
  expect(await runToEnd(['verify', '--counts', counts], { env })).toMatchObject({ code: 0 })

  const client = new pg.Client(database.direct)
  await client.connect()
  await client.query("delete from users where email = 'max@acme.test'")
  await client.end()
  const missing = await runToEnd(['verify', '--counts', counts], { env })
  expect(missing).toMatchObject({ code: 1, output: expect.stringContaining('users has 5 rows, not 6') })

  const otherKey = { ...env, LATCHKEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
  const unreadable = await runToEnd(['verify'], { env: otherKey })
  expect(unreadable).toMatchObject({
    code: 1,
    output: expect.stringContaining('the signing keys cannot be used'),
  })
})
