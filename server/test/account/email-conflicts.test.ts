import { afterAll, beforeAll, expect, test } from 'vitest'
import { eraseDueAccounts } from '../../src/account/deletion/erasure.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { findAddress, requestChange, requestEmailToken, verifyEmail } from './email-calls.ts'
import { createSignedInUser, errorReply, findLinkToken, insertUser, listMailTo, type TestUser } from './people.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const verify = (token: string | undefined) => verifyEmail(service, token)
const requestToken = (somebody: TestUser, newEmail: string) => requestEmailToken(service, somebody, newEmail)
const addressOf = (somebody: TestUser) => findAddress(service, somebody)
const invalidToken = errorReply(400, 'INVALID_TOKEN')

test('T106: an address that is taken after the link was mailed is a conflict, and nothing changes', async () => {
  const somebody = await createSignedInUser(service)
  const newEmail = `new-${somebody.email}`
  const token = await requestToken(somebody, newEmail)
  await insertUser(service, { email: newEmail })
  expect(await verify(token)).toMatchObject(errorReply(409, 'EMAIL_TAKEN'))
  expect(await addressOf(somebody)).toEqual({ email: somebody.email, email_verified: true })
  expect(await listMailTo(service, somebody.email)).toHaveLength(1)
})

test('T106: of two people who confirm the same address concurrently, exactly one gets it', async () => {
  const people = [await createSignedInUser(service), await createSignedInUser(service)]
  for (const round of rounds(20)) {
    const newEmail = `contested-${round}@people.test`
    const tokens: string[] = []
    for (const somebody of people) tokens.push(await requestToken(somebody, newEmail))
    const answers = await Promise.all(tokens.map(verify))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)).toMatchObject(errorReply(409, 'EMAIL_TAKEN'))
    const addresses = await Promise.all(people.map(async (somebody) => (await addressOf(somebody)).email))
    expect(addresses.filter((address) => address === newEmail)).toHaveLength(1)
  }
})

test('of many concurrent uses of one link, exactly one succeeds', async () => {
  const somebody = await createSignedInUser(service)
  const token = await requestToken(somebody, `new-${somebody.email}`)
  const answers = await Promise.all(Array.from({ length: 10 }, () => verify(token)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
})

test('a newer request revokes the older link, also when both are concurrent', async () => {
  const somebody = await createSignedInUser(service)
  const older = await requestToken(somebody, `older-${somebody.email}`)
  const newer = await requestToken(somebody, `newer-${somebody.email}`)
  expect(await verify(older)).toMatchObject(invalidToken)
  expect((await verify(newer)).status).toBe(200)

  const wanted = Array.from({ length: 8 }, (_, index) => `at-once-${index}-${somebody.email}`)
  const answers = await Promise.all(wanted.map((newEmail) => requestChange(somebody, newEmail)))
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  const statuses: number[] = []
  for (const newEmail of wanted) {
    statuses.push((await verify(findLinkToken((await listMailTo(service, newEmail))[0]))).status)
  }
  expect(statuses.sort()).toEqual([200, ...Array(7).fill(400)])
})

test('concurrent requests, confirmations and password changes never fail', async () => {
  for (let round = 0; round < 10; round++) {
    const somebody = await createSignedInUser(service)
    const token = await requestToken(somebody, `new-${somebody.email}`)
    const answers = await Promise.all([
      verify(token),
      requestChange(somebody, `other-${somebody.email}`),
      somebody.call('POST', '/api/users/me/password', {
        currentPassword: PASSWORD,
        newPassword: `${PASSWORD}!`,
      }),
    ])
    expect(answers.filter(({ status }) => ![200, 400].includes(status))).toEqual([])
  }
})

test('erasing a person keeps the mail of another person who has requested the same address', async () => {
  const [leaving, staying] = [await createSignedInUser(service), await createSignedInUser(service)]
  const newEmail = `new-${staying.email}`
  await requestToken(leaving, newEmail)
  const token = await requestToken(staying, newEmail)
  const deletion = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
  expect((await leaving.call('DELETE', '/api/users/me', deletion)).status).toBe(200)
  await service.ctx.db
    .updateTable('users')
    .set({ deletion_requested_at: new Date(service.ctx.now().getTime() - 31 * 86_400_000) })
    .where('id', '=', leaving.id)
    .execute()
  await eraseDueAccounts.run(service.ctx, {})
  expect((await listMailTo(service, newEmail)).map(findLinkToken)).toContain(token)
  expect(await listMailTo(service, leaving.email)).toEqual([])
  expect((await verify(token)).status).toBe(200)
})
