import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { countRefusals } from '../support/rate-limits.ts'
import type { TestService } from '../support/service.ts'
import { authorize, signIn, startDemoService } from '../support/world.ts'
import { documentConfig, openConsent, type Publisher, REDIRECT, startPublisher } from './document-clients.ts'

// The limits of requests for documents, and of clients that are stored for them.

let service: TestService
let publisher: Publisher
let cookie: string
beforeAll(async () => {
  publisher = await startPublisher()
})
afterAll(() => publisher.close())
beforeEach(async () => {
  service = await startDemoService({ config: documentConfig() })
  cookie = await signIn(service.url, 'mia@acme.test')
  return () => service.close()
})

const start = async (client_id: string) =>
  (await authorize(service.url, cookie, { client_id, redirect_uri: REDIRECT })).response.status

test('one network can cause 60 requests in a minute; cached documents go on working', async () => {
  const first = publisher.publishDocument()
  expect(await start(first)).toBe(200)
  for (let n = 1; n < 60; n++) expect(await start(publisher.publishDocument())).toBe(200)
  expect(await start(publisher.publishDocument())).toBe(429)
  expect(await start(first)).toBe(200)
})

test('300 documents of one host are fetched in a minute, for all networks; cached ones go on working', async () => {
  const first = publisher.publishDocument()
  expect(await start(first)).toBe(200)
  await sql`update throttle set points = 299 where key like 'client-document-hosts:%'`.execute(service.ctx.db)
  expect(await start(publisher.publishDocument())).toBe(200)
  expect(await start(publisher.publishDocument())).toBe(429)
  expect(await start(first)).toBe(200)
  expect(await countRefusals(service, 'client-document-hosts')).toBe(1)
})

test('one user can add 30 clients in an hour', async () => {
  const allow = async () => {
    const page = await openConsent(service, cookie, { client_id: publisher.publishDocument() })
    return page.decide('allow')
  }
  for (let n = 0; n < 30; n++) expect(await allow()).toMatchObject({ code: expect.any(String) })
  await expect(allow()).rejects.toThrow('429')
})
