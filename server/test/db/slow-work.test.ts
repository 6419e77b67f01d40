import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tx } from '../../src/db/open.ts'
import { generateSigningKey } from '../../src/keys/key-pairs.ts'
import { createGuard } from '../../src/lib/outgoing/guard.ts'
import { post } from '../../src/lib/outgoing/post.ts'
import { deliverMail, queueRenderedMail } from '../../src/mail/outbox.ts'
import { limitedFetch } from '../../src/sso/limited-fetch.ts'
import { hashPassword, verifyPassword } from '../../src/users/passwords.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({
    forbidSlowWork: true,
    config: { mail: { from: 'a@b.test', smtpUrl: 'smtp://127.0.0.1:1', mailbox: false } },
  })
  await queueRenderedMail(service.ctx, service.ctx.db as Tx, 'somebody@people.test', {
    subject: 'Hello',
    text: 'Hello.',
    html: 'Hello.',
  })
})
afterAll(() => service.close())

const NOWHERE = 'http://127.0.0.1:1/'
const message = { url: NOWHERE, headers: {}, body: '' }

async function sendMail({ ctx }: TestService): Promise<void> {
  const [mail] = await ctx.db.selectFrom('mail_messages').select('id').execute()
  await deliverMail.run(ctx, { mailId: mail?.id ?? '' })
}

/** Slow work in a transaction would hold a connection for its whole duration. */
test.each<[string, (service: TestService) => Promise<unknown>]>([
  ['password hash', () => hashPassword('correct horse')],
  ['password hash', () => verifyPassword(null, 'correct horse')],
  ['key generation', ({ ctx }) => generateSigningKey(ctx.keys)],
  ['request to another server', () => limitedFetch(NOWHERE, {})],
  [
    'request to another server',
    () => post(createGuard({ allowedNetworks: [] }), message, { stop: new AbortController().signal }),
  ],
  ['mail', sendMail],
])('a %s inside a transaction is an error', async (work, begin) => {
  const { db } = service.ctx
  await expect(db.transaction().execute(() => begin(service))).rejects.toThrow(`${work} inside a transaction`)
  const readOnly = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  await expect(readOnly.execute(() => begin(service))).rejects.toThrow(`${work} inside a transaction`)
})

test('it is an error too when another transaction has begun and ended in the meantime', async () => {
  const { db } = service.ctx
  const work = db.transaction().execute(async () => {
    await db.transaction().execute(async () => {})
    await hashPassword('correct horse')
  })
  await expect(work).rejects.toThrow('password hash inside a transaction')
  await expect(hashPassword('correct horse')).resolves.toMatch(/^\$argon2id/)
})
