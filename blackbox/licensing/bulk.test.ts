import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import {
  type Assignment,
  type Headers,
  LICENSES,
  newLicensedApplication,
  newLicenseType,
  newTenantMember,
  newTenantWithOwner,
  newTenantWithSeats,
  readLicenseHolders,
} from '../support/licensing.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'

interface Reply {
  done: number
  failed: number
  results: { userId: string; statusCode: number; license?: Assignment; error?: string }[]
}

const { application, tenant, owner, pro } = await newTenantWithSeats(2)
const [ann, ben, outsider, unsold, elsewhere] = await Promise.all([
  newTenantMember({ tenant, owner }),
  newTenantMember({ tenant, owner }),
  newTenantWithOwner(),
  newLicenseType(application),
  newLicensedApplication().then((id) => newLicenseType(id)),
])

const row = (userId: string, fields: object = {}) => ({
  userId,
  applicationId: application,
  licenseTypeId: pro.id,
  ...fields,
})
const send = (path: string, body: unknown, headers: Headers = owner.tenantHeaders) =>
  call<Reply>('POST', `${LICENSES}/${path}/bulk`, { headers, body })

const done = (userId: string) => ({
  userId,
  statusCode: 201,
  license: {
    id: expect.stringMatching(UUID),
    userId,
    licenseTypeId: pro.id,
    licenseTypeName: 'Pro',
    assignedAt: expect.stringMatching(TIMESTAMP),
  },
})
const failed = (userId: string, statusCode: number, error: string, more: object = {}) => ({
  userId,
  statusCode,
  error,
  message: expect.any(String),
  ...more,
})

test('every row has the result of a single call, in the order of the rows', async () => {
  const unknownUserId = randomUUID()
  const { status, body } = await send('grant', {
    grants: [
      row('x'),
      row(ben.userId),
      row(ann.userId, { licenseTypeId: unsold.id }),
      row(unknownUserId),
      row(ben.userId),
      row(ann.userId, { applicationId: 'nonsense' }),
      row(ann.userId, { applicationId: undefined }),
      row(ann.userId, { licenseTypeId: elsewhere.id }),
      row(outsider.owner.userId),
    ],
  })
  expect(status).toBe(200)
  expect(body).toEqual({
    done: 1,
    failed: 8,
    results: [
      failed('x', 404, 'USER_NOT_FOUND'),
      done(ben.userId),
      failed(ann.userId, 400, 'NO_SEATS_AVAILABLE', { details: { reason: 'NO_SUBSCRIPTION' } }),
      failed(unknownUserId, 404, 'USER_NOT_FOUND'),
      failed(ben.userId, 400, 'ALREADY_LICENSED'),
      failed(ann.userId, 400, 'INVALID_APPLICATION_ID'),
      failed(ann.userId, 400, 'INVALID_APPLICATION_ID'),
      failed(ann.userId, 404, 'LICENSE_TYPE_NOT_FOUND'),
      failed(outsider.owner.userId, 404, 'USER_NOT_FOUND'),
    ],
  })
  expect((await readLicenseHolders(owner.tenantHeaders, application)).users.map(({ userId }) => userId)).toEqual([
    ben.userId,
  ])

  const revoked = await send('revoke', {
    revocations: [
      row(unknownUserId),
      row(ben.userId),
      row(ben.userId),
      row(ann.userId, { applicationId: 'x' }),
      row('x'),
    ],
  })
  expect(revoked.status).toBe(200)
  expect(revoked.body).toEqual({
    done: 1,
    failed: 4,
    results: [
      failed(unknownUserId, 404, 'LICENSE_NOT_FOUND'),
      { userId: ben.userId, statusCode: 200 },
      failed(ben.userId, 404, 'LICENSE_NOT_FOUND'),
      failed(ann.userId, 400, 'INVALID_APPLICATION_ID'),
      failed('x', 404, 'LICENSE_NOT_FOUND'),
    ],
  })
  expect((await readLicenseHolders(owner.tenantHeaders, application)).count).toBe(0)
})

test('as many rows succeed as there are seats, and no user gets two', async () => {
  const people = [ann.userId, ben.userId, owner.userId]
  const { body } = await send('grant', { grants: people.map((userId) => row(userId)) })
  expect(body).toMatchObject({ done: 2, failed: 1 })
  const [refused] = body.results.filter(({ statusCode }) => statusCode !== 201)
  expect(refused).toEqual(failed(refused?.userId ?? '', 400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }))
  expect(body.results.map(({ userId }) => userId)).toEqual(people)
  const holders = await readLicenseHolders(owner.tenantHeaders, application)
  expect(holders.users.map(({ userId }) => userId).sort()).toEqual(
    people.filter((userId) => userId !== refused?.userId).sort(),
  )
  const back = await send('revoke', { revocations: people.map((userId) => row(userId)) })
  expect(back.body).toMatchObject({ done: 2, failed: 1 })
  expect((await readLicenseHolders(owner.tenantHeaders, application)).count).toBe(0)
})

test.each([
  ['grant', { grants: [] }],
  ['grant', {}],
  ['grant', { grants: 'all' }],
  ['grant', { grants: [{ userId: 7, applicationId: application, licenseTypeId: pro.id }] }],
  ['grant', { grants: [{ applicationId: application, licenseTypeId: pro.id }] }],
  ['grant', { grants: [{ userId: ann.userId, applicationId: application }] }],
  ['grant', { grants: Array.from({ length: 501 }, () => row(ann.userId)) }],
  ['revoke', { revocations: [] }],
  ['revoke', {}],
  ['revoke', { revocations: [{ applicationId: application }] }],
  ['revoke', { revocations: Array.from({ length: 501 }, () => row(ann.userId)) }],
])('%s in bulk refuses a body without a list of rows', async (path, request) => {
  const { status, body } = await send(path, request)
  expect(status).toBe(422)
  expect(body).toEqual(errorBody(422, 'VALIDATION_FAILED', { details: expect.any(Array) }))
  expect((await readLicenseHolders(owner.tenantHeaders, application)).count).toBe(0)
})

test('500 rows get one result each', async () => {
  const { status, body } = await send('grant', { grants: Array.from({ length: 500 }, () => row(ann.userId)) })
  expect(status).toBe(200)
  expect(body).toMatchObject({ done: 1, failed: 499 })
  expect(body.results[0]).toEqual(done(ann.userId))
  const back = await send('revoke', { revocations: Array.from({ length: 500 }, () => row(ann.userId)) })
  expect(back.body).toMatchObject({ done: 1, failed: 499 })
  expect(back.body.results[0]).toEqual({ userId: ann.userId, statusCode: 200 })
})

test('a plain member and an unauthenticated caller are refused', async () => {
  for (const [path, body] of [
    ['grant', { grants: [row(ann.userId)] }],
    ['revoke', { revocations: [row(ann.userId)] }],
    ['grant', {}],
  ] as const) {
    expect((await send(path, body, ann.tenantHeaders)).body).toEqual(errorBody(403, 'FORBIDDEN'))
    expect((await send(path, body, {})).body).toEqual(errorBody(401, 'UNAUTHORIZED'))
  }
})
