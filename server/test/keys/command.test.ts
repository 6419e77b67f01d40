import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommandHere } from '../support/command.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { runToEnd, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'

let database: TestDatabase
let env: Record<string, string>
beforeAll(async () => {
  database = await createDatabase()
  env = {
    DATABASE_URL: database.url,
    LATCHKEY_DATA_DIR: tempFolder(),
    LATCHKEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  }
})
afterAll(() => database.close())

const keys = (...args: string[]) => runCommandHere(['keys', ...args], env)

test('`latchkey keys` creates, lists and activates signing keys', async () => {
  // The first key of an instance signs immediately.
  expect(await runToEnd(['keys', 'rotate'], { env })).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^Key \S+ \(RS256\) is new and signs from now on\.$/m),
  })
  expect(await keys('rotate')).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^Key \S+ \(RS256\) is new and signs from 20\S+Z\.$/m),
  })
  const listed = await keys('list')
  expect(listed.output).toMatch(
    /^KEY +ALG +STATE +CREATED +ACTIVATES\n\S+ +RS256 +upcoming .*\n\S+ +RS256 +signing .*\n$/,
  )
  expect(await keys('rotate', '--now')).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^Key \S+ \(RS256\) was made before and signs from now on\.$/m),
  })
  expect((await keys('list')).output).toMatch(/\n\S+ +RS256 +signing .*\n\S+ +RS256 +published .*\n$/)
})

test.runIf(FULL)('`latchkey keys rotate` with another encryption key creates no key', async () => {
  const { LATCHKEY_ENCRYPTION_KEY: _, ...bare } = env
  const { code, output } = await runToEnd(['keys', 'rotate', '--now'], { env: bare })
  expect(code).toBe(1)
  expect(output).toContain('sealed with another encryption key')
})
