import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { findIds, signIn, startDemoService } from '../support/world.ts'
import {
  documentConfig,
  documentOf,
  openConsent,
  type Publisher,
  REDIRECT,
  respondWith,
  startPublisher,
} from './document-clients.ts'

// The number of clients that are stored for documents: of one user, and of the instance.

const MAX_CLIENTS = 10_000
const HOUR_MS = 3_600_000

let service: TestService
let publisher: Publisher
let userId: string
beforeAll(async () => {
  publisher = await startPublisher()
})
afterAll(() => publisher.close())
beforeEach(async () => {
  service = await startDemoService({ config: documentConfig() })
  ;({ userId } = await findIds(service, 'mia@acme.test', 'acme'))
})
afterEach(() => service.close())

/** Allows a client and returns its id. */
async function allow(clientId = publisher.publishDocument()): Promise<string> {
  const cookie = await signIn(service.url, 'mia@acme.test')
  const page = await openConsent(service, cookie, { client_id: clientId })
  expect(await page.decide('allow')).toMatchObject({ code: expect.any(String) })
  return clientId
}

/** Stores clients, each with an application of its own, that the user has allowed now. */
async function storeClients(count: number): Promise<void> {
  const { ctx } = service
  const now = ctx.now()
  await sql`
    with numbers as (select gen_random_uuid() as id, number from generate_series(1, ${count}::int) as number),
      stored as (
        insert into applications (id, slug, name, trusted, created_at, updated_at)
        select id, 'full-' || number, 'Full', false, ${now}::timestamptz, ${now}::timestamptz from numbers
      )
    insert into clients (id, client_id, origin, application_id, kind, name, redirect_uris, post_logout_redirect_uris,
      allowed_origins, scopes, require_nonce, userinfo_in_id_token, pkce_methods, disabled, created_at, updated_at)
    select gen_random_uuid(), 'https://full.example/' || number, 'DOCUMENT', id, 'SPA', 'Full', array[${REDIRECT}], '{}',
      '{}', '{}', false, false, '{S256}', false, ${now}::timestamptz, ${now}::timestamptz
    from numbers`.execute(ctx.db)
  await sql`
    insert into consents (user_id, application_id, tenant_id, scopes, granted_at)
    select ${userId}::uuid, application_id, null, '{openid}', ${now}::timestamptz from clients
    where client_id like 'https://full.example/%'`.execute(ctx.db)
}

const withdraw = (numbers: number) =>
  sql`
    delete from consents where application_id in (
      select application_id from clients where client_id like 'https://full.example/%' order by client_id limit ${numbers}
    )`.execute(service.ctx.db)

async function countClients(): Promise<number> {
  const rows = await service.ctx.db.selectFrom('clients').select('id').where('origin', '=', 'DOCUMENT').execute()
  return rows.length
}

const isStored = async (clientId: string) =>
  (await service.ctx.db.selectFrom('clients').select('id').where('client_id', '=', clientId).execute()).length === 1

test('a user with 100 clients adds none until the access of one is withdrawn, and goes on using those', async () => {
  const known = await allow()
  await storeClients(99)
  await expect(allow()).rejects.toThrow('You have allowed 100 applications')
  publisher.change(known, respondWith(documentOf(known, { redirect_uris: [REDIRECT, 'http://localhost/other'] })))
  service.advance(HOUR_MS)
  await allow(known)
  expect(await countClients()).toBe(100)
  await withdraw(1)
  await allow()
})

test('when the instance is full, clients make room that nobody has allowed for a day, but none with a grant', async () => {
  const used = await allow()
  await storeClients(MAX_CLIENTS - 1)
  // They are of many users, so the limit for one is not reached.
  const { userId: other } = await findIds(service, 'olivia@acme.test', 'acme')
  await sql`update consents set user_id = ${other} where user_id = ${userId}`.execute(service.ctx.db)
  await expect(allow()).rejects.toThrow('503')
  service.advance(HOUR_MS + 60_000)
  await expect(allow()).rejects.toThrow('503')
  service.advance(23 * HOUR_MS)
  await allow()
  expect(await isStored(used)).toBe(true)
  expect(await countClients()).toBeLessThanOrEqual(MAX_CLIENTS - 99)
})

test('clients that nobody allows anymore make room after an hour', async () => {
  await storeClients(MAX_CLIENTS)
  await withdraw(MAX_CLIENTS)
  await expect(allow()).rejects.toThrow('503')
  service.advance(HOUR_MS + 60_000)
  await allow()
})
