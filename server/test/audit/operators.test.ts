import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { type Db, openDb } from '../../src/db/open.ts'
import { applyChanges, planChanges } from '../../src/declaration/apply.ts'
import { createSuperAdmin } from '../../src/users/service.ts'
import { insertUser } from '../account/people.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { runToEnd, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { BY_SYSTEM, captureEntries, captureEntry, logText } from './entries.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const BY_OPERATOR = { ...BY_SYSTEM, client_id: null, request_id: null }

const apply = async (users: object[]) => applyChanges(service.ctx, await planChanges(service.ctx, sections, { users }))

test('a declared user records an entry, with names only in the personal data', async () => {
  const declared = {
    email: 'Zoe@acme.test',
    givenName: 'Zoe',
    familyName: 'Zimmer',
    password: 'a long secret one',
  }
  const entry = await captureEntry(service, () => apply([declared]))
  expect(entry).toMatchObject({ action: 'user.created', ...BY_OPERATOR, user_id: expect.any(String) })
  expect(entry.details).toEqual({
    after: { superAdmin: false, passwordSignIn: true, emailVerified: true, hasPassword: true },
  })
  expect(entry.personal).toEqual({
    email: 'zoe@acme.test',
    givenName: 'Zoe',
    familyName: 'Zimmer',
    displayName: null,
  })
  const changed = await captureEntry(service, () =>
    apply([{ email: 'zoe@acme.test', familyName: 'Adler', passwordSignIn: false }]),
  )
  expect(changed).toMatchObject({ action: 'user.changed', ...BY_OPERATOR, user_id: entry.user_id })
  expect(changed.details).toEqual({
    fields: ['passwordSignIn', 'familyName'],
    before: { passwordSignIn: true },
    after: { passwordSignIn: false },
  })
  expect(changed.personal).toEqual({
    email: 'zoe@acme.test',
    before: { familyName: 'Zimmer' },
    after: { familyName: 'Adler' },
  })
  expect(await captureEntries(service, () => apply([{ email: 'zoe@acme.test', familyName: 'Adler' }]))).toEqual([])
  for (const secret of ['a long secret one', PASSWORD]) expect(await logText(service)).not.toContain(secret)
})

test('the promotion to Super Admin records one entry', async () => {
  const { id, email } = await insertUser(service)
  const promote = () => createSuperAdmin(service.ctx, email, '')
  expect(await captureEntry(service, promote)).toMatchObject({
    action: 'user.changed',
    ...BY_OPERATOR,
    user_id: id,
    details: { fields: ['superAdmin'], before: { superAdmin: false }, after: { superAdmin: true } },
  })
  expect(await captureEntries(service, promote)).toEqual([])
})

test('everything in the demo declaration is recorded', async () => {
  const { db } = service.ctx
  const count = async (action: string) =>
    (await db.selectFrom('audit_entries').select('id').where('action', '=', action).execute()).length
  expect(await count('application.created')).toBe(
    (await db.selectFrom('applications').select('id').where('built_in', '=', false).execute()).length,
  )
  expect(await count('client.registered')).toBe(
    (await db.selectFrom('clients').select('id').where('client_id', '<>', 'latchkey-console').execute()).length,
  )
  expect(await count('license_type.created')).toBe((await db.selectFrom('license_types').select('id').execute()).length)
})

test('a secret that is added to a declared client records an entry', async () => {
  const client = { clientId: 'later', application: 'project-manager', kind: 'MACHINE', name: 'Later' }
  const declare = async (entry: object) =>
    applyChanges(service.ctx, await planChanges(service.ctx, sections, { clients: [{ ...client, ...entry }] }))
  const made = await captureEntry(service, () => declare({}))
  expect(made).toMatchObject({ action: 'client.registered', details: { after: { secretIds: [] } } })
  const given = await captureEntry(service, () => declare({ secret: 'chosen-by-the-operator' }))
  expect(given).toMatchObject({
    action: 'client.secret_added',
    ...BY_OPERATOR,
    details: { clientId: 'later' },
  })
  expect(await logText(service)).not.toContain('chosen-by-the-operator')
})

test.runIf(FULL)('commands record entries without the secrets they print', async () => {
  const database: TestDatabase = await createDatabase()
  const db: Db = openDb(database, 1)
  const env = {
    DATABASE_URL: database.url,
    LATCHKEY_DATA_DIR: tempFolder(),
    LATCHKEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  }
  try {
    const run = async (...args: string[]) => (await runToEnd(args, { env })).output
    await run('application', 'create', '--name', 'Shop')
    const output = await run('client', 'create', '--application', 'shop', '--kind', 'MACHINE', '--name', 'Robot')
    await run('admin', 'create', '--email', 'root@example.test', '--password', 'a secret of the first admin')
    await run('keys', 'rotate')
    await run('keys', 'rotate', '--leaked')
    const entries = await db.selectFrom('audit_entries').selectAll().orderBy('id').execute()
    expect(entries.map(({ action }) => action)).toEqual([
      'application.created',
      'client.registered',
      'user.created',
      'signing_key.created',
      'signing_key.withdrawn',
      'signing_key.created',
    ])
    for (const entry of entries) expect(entry).toMatchObject(BY_OPERATOR)
    const secret = /lks_[\w-]+/.exec(output)?.[0] ?? ''
    expect(secret).not.toBe('')
    expect(JSON.stringify(entries)).not.toContain(secret)
    expect(JSON.stringify(entries)).not.toContain('a secret of the first admin')
  } finally {
    await db.destroy()
    await database.close()
  }
})
