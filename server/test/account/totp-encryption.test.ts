import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSealer } from '../../src/lib/seal.ts'
import { useTotp } from '../../src/users/factors/totp.ts'
import { reencryptTotpSecrets } from '../../src/users/factors/totp-encryption.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { createSignedInUser } from './people.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** A user whose authenticator app was set up while this encryption key was the newest. */
async function userWithApp(key: Buffer): Promise<string> {
  const { id } = await createSignedInUser(service)
  const now = service.ctx.now()
  await service.ctx.db
    .insertInto('totp_secrets')
    .values({
      user_id: id,
      sealed_secret: createSealer([key]).seal('totp', SECRET),
      session_id: null,
      created_at: now,
      confirmed_at: now,
    })
    .execute()
  return id
}

const withKeys = (...keys: [Buffer, ...Buffer[]]) => ({ ...service.ctx, keys: createSealer(keys) })

test('after the job has run, an authenticator app works without the old encryption key', async () => {
  const [old, next] = [randomBytes(32), randomBytes(32)]
  const userId = await userWithApp(old)
  const orphan = await userWithApp(randomBytes(32))
  const timestamp = service.ctx.now().getTime()
  const code = new TOTP({ secret: Secret.fromBase32(SECRET) }).generate({ timestamp })
  await expect(useTotp(withKeys(next), service.ctx.db, userId, code)).rejects.toThrow('not configured')

  await reencryptTotpSecrets.run(withKeys(next, old), undefined)
  expect(await useTotp(withKeys(next), service.ctx.db, userId, code)).toBe(true)
  // The key of the other one is not configured: it is left as it is, and named in the log.
  expect(JSON.stringify(service.logs)).toContain(orphan)

  const stored = () =>
    service.ctx.db
      .selectFrom('totp_secrets')
      .select('sealed_secret')
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
  const before = await stored()
  await reencryptTotpSecrets.run(withKeys(next), undefined)
  expect(await stored()).toEqual(before)
})
