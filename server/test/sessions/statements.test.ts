import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, createSignedInUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'

let service: TestService
let watch: StatementWatch
let ann: TestUser

beforeAll(async () => {
  service = await startDemoService()
  watch = await watchStatements(service)
  ann = await createSignedInUser(service)
})
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

async function logIn(password: string, status: number) {
  const body = { email: ann.email, password }
  const answer = await call(`${service.url}/api/auth/login`, { method: 'POST', body })
  expect(answer.status).toBe(status)
}

test('a sign-in takes four statements', async () => {
  await logIn(PASSWORD, 200)
  const statements = await watch.list(() => logIn(PASSWORD, 200))
  expect(
    statements.reduce((sum, { calls }) => sum + calls, 0),
    JSON.stringify(statements, null, 1),
  ).toBe(4)
})

test('a wrong password takes four statements', async () => {
  expect(await watch.count(() => logIn('a wrong guess', 401))).toBe(4)
})

test('resetting the failure counts takes no additional statement', async () => {
  await logIn('a wrong guess', 401)
  expect(await watch.count(() => logIn(PASSWORD, 200))).toBe(4)
})
