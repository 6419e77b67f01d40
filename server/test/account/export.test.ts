import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordAuditEvent, userActor } from '../../src/audit/record.ts'
import { newId } from '../../src/lib/ids.ts'
import type { TestService } from '../support/service.ts'
import { findIds, obtainTokens, signIn, startDemoService } from '../support/world.ts'
import { call, createSignedInUser, insertUser } from './people.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())

const PATH = '/api/users/me/export'
type Entry = { action: string; by: string; personal: Record<string, unknown> }

test('the export contains all data about a person', async () => {
  const tokens = await obtainTokens(url, await signIn(url, 'mia@acme.test', { 'User-Agent': 'Mias Browser' }))
  const { userId, tenantId } = await findIds(service, 'mia@acme.test', 'acme')
  await addRows(userId, tenantId)
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const answer = await call(url + PATH, { method: 'GET', headers })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="latchkey-personal-data.json"')
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(answer.body).toEqual({
    exportedAt: at,
    profile: {
      id: userId,
      email: 'mia@acme.test',
      emailVerified: true,
      username: null,
      displayName: 'Mia Member',
      givenName: 'Mia',
      familyName: 'Member',
      middleName: null,
      nickname: null,
      pictureUrl: null,
      website: null,
      gender: null,
      birthdate: null,
      zoneinfo: 'UTC',
      locale: 'en',
      phone: null,
      phoneVerified: false,
      mfaEnabled: true,
      createdAt: at,
      updatedAt: at,
    },
    memberships: [{ tenantId, tenantName: 'Acme', tenantSlug: 'acme', role: 'member', status: 'ACTIVE' }],
    sessions: [
      {
        id: expect.any(String),
        userAgent: 'Mias Browser',
        ipAddress: '127.0.0.1',
        methods: ['pwd'],
        createdAt: at,
        lastActive: at,
        authenticatedAt: at,
      },
    ],
    ssoLinks: [
      {
        provider: 'GOOGLE',
        issuer: 'https://idp.test',
        subject: `subject-${userId}`,
        email: 'mia@idp.test',
        displayName: 'Mia',
        avatarUrl: 'https://idp.test/mia.png',
        linkedAt: at,
        lastUsedAt: at,
      },
    ],
    mfa: {
      totp: true,
      passkeys: [{ id: expect.any(String), name: 'My key', createdAt: at, lastUsedAt: null }],
      recoveryCodesLeft: 1,
    },
    consents: [{ application: 'Project Manager', tenant: 'Acme', scopes: ['openid'], grantedAt: at, lastUsedAt: at }],
    licenses: [
      {
        tenant: 'acme',
        application: 'project-manager',
        licenseType: 'pro',
        status: 'ASSIGNED',
        assignedAt: at,
      },
    ],
    auditEntries: expect.arrayContaining([
      expect.objectContaining({ action: 'session.started', by: 'you', occurredAt: at }),
    ]),
    auditEntriesTruncated: false,
  })
})

test('the export contains no secret and no hash', async () => {
  const somebody = await createSignedInUser(service)
  const { tenantId } = await findIds(service, 'mia@acme.test', 'acme')
  await addRows(somebody.id, tenantId)
  const text = JSON.stringify((await somebody.call('GET', PATH)).body)
  expect(text).not.toMatch(/argon2|hash|secret|sealed|public_?key|credential/i)
  expect(text).not.toContain(Buffer.from('key material').toString('base64'))
})

/** One row of everything that a user may have. */
async function addRows(userId: string, tenantId: string): Promise<void> {
  const { db, now } = service.ctx
  const at = now()
  const identity = { provider: 'GOOGLE', issuer: 'https://idp.test', subject: `subject-${userId}` }
  const shown = { email: 'mia@idp.test', display_name: 'Mia', avatar_url: 'https://idp.test/mia.png' }
  await db
    .insertInto('sso_links')
    .values({ user_id: userId, ...identity, ...shown, linked_at: at, last_used_at: at })
    .execute()
  const material = Buffer.from('key material')
  const key = { id: newId(), user_id: userId, credential_id: newId(), public_key: material, sign_count: 0 }
  const named = { transports: ['usb'], backed_up: false, name: 'My key', created_at: at, last_used_at: null }
  await db
    .insertInto('passkeys')
    .values({ ...key, ...named })
    .execute()
  await db
    .insertInto('totp_secrets')
    .values({ user_id: userId, sealed_secret: material, created_at: at, confirmed_at: at })
    .execute()
  await db.insertInto('recovery_codes').values({ user_id: userId, hash: material }).execute()
  const { id: application_id } = await db
    .selectFrom('applications')
    .select('id')
    .where('slug', '=', 'project-manager')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('consents')
    .values({ user_id: userId, application_id, tenant_id: tenantId, scopes: ['openid'], granted_at: at })
    .execute()
}

test('of an audit entry about two people, each sees only their own part', async () => {
  const [somebody, other] = [await createSignedInUser(service), await insertUser(service)]
  const { ctx } = service
  const personal = (about: string) => ({ ipAddress: '198.51.100.1', userAgent: 'A browser', about })
  await recordAuditEvent(ctx, ctx.db, {
    action: 'user.restored',
    actor: userActor(other.id),
    userId: somebody.id,
    personal: personal('done to me'),
  })
  await recordAuditEvent(ctx, ctx.db, {
    action: 'user.erased',
    actor: userActor(somebody.id),
    userId: other.id,
    personal: personal('done by me'),
  })
  const { body } = await somebody.call('GET', PATH)
  const [mine, theirs] = body.auditEntries as Entry[]
  expect(mine).toMatchObject({ action: 'user.erased', by: 'you' })
  expect(mine?.personal).toEqual({ ipAddress: '198.51.100.1', userAgent: 'A browser' })
  expect(theirs).toMatchObject({ action: 'user.restored', by: 'user' })
  expect(theirs?.personal).toEqual({ about: 'done to me' })
  expect(JSON.stringify(body)).not.toContain(other.id)
})

test('the export contains the newest 10,000 audit entries and states that there are more', async () => {
  const somebody = await createSignedInUser(service)
  const { db } = service.ctx
  const common = { action: 'session.ended', actor_kind: 'system', actor_id: null, tenant_id: null } as const
  const empty = { request_id: null, details: '{}', personal: '{}', occurred_at: new Date() }
  for (let batch = 0; batch < 10; batch++) {
    const rows = Array.from({ length: 1_000 }, () => ({
      id: newId(),
      user_id: somebody.id,
      ...common,
      ...empty,
    }))
    await db.insertInto('audit_entries').values(rows).execute()
  }
  const { body } = await somebody.call('GET', PATH)
  expect(body.auditEntries).toHaveLength(10_000)
  expect(body.auditEntriesTruncated).toBe(true)
  expect((body.auditEntries as Entry[]).map(({ action }) => action)).not.toContain('session.started')
})
