import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSealer } from '../../src/lib/seal.ts'
import { runToEnd, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { listLinks, recordEntries, startWithEmptyLog, tamper } from './log.ts'

let service: TestService
const [old, next] = [randomBytes(32), randomBytes(32)]
beforeAll(async () => {
  service = await startWithEmptyLog()
  await recordEntries({ ...service.ctx, keys: createSealer([old]) }, 3)
})
afterAll(() => service.close())

const verify = (keys: Buffer[], ...args: string[]) =>
  runToEnd(['audit', 'verify', ...args], {
    env: {
      DATABASE_URL: service.connection.url,
      LATCHKEY_DATA_DIR: tempFolder(),
      LATCHKEY_ENCRYPTION_KEY: keys.map((key) => key.toString('base64')).join(','),
    },
  })

// The test runs the program several times.

test.runIf(FULL)('latchkey audit verify prints the number of entries, the head and all findings', async () => {
  const whole = await verify([next, old])
  expect(whole).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^3 entries in the chain, from 20\S+Z to 20\S+Z\.$/m),
  })
  const [, head = ''] = /^Head: (3:[0-9a-f]{64})$/m.exec(whole.output) ?? []
  expect(whole.output).toContain('All is well.')
  expect(await verify([old], '--head', head)).toMatchObject({ code: 0 })

  const wrongKey = await verify([next])
  expect(wrongKey).toMatchObject({
    code: 1,
    output: expect.stringContaining('The key of the audit log cannot be opened'),
  })
  const invalidHead = await verify([old], '--head', '12')
  expect(invalidHead).toMatchObject({
    code: 1,
    output: expect.stringContaining('--head must be a position and a hash'),
  })

  const [, second] = await listLinks(service.ctx)
  await tamper(service.ctx, `update audit_entries set action = 'member.left' where id = '${second?.entry_id}'`)
  const broken = await verify([old], '--head', head.replace('3:', '4:'))
  expect(broken.code).toBe(1)
  expect(broken.output).toMatch(
    new RegExp(`^ALTERED +position 2 +20\\S+Z +${second?.entry_id} +the entry or its link is not what it was$`, 'm'),
  )
  expect(broken.output).toMatch(/^MISSING +position 4 .*the end is missing/m)
  expect(broken.output).toContain('2 findings: the audit log was manipulated.')
  // Personal data is not printed.
  expect(broken.output).not.toContain('people.test')
})
