import { afterAll, beforeAll, expect, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { applyDeclaration } from '../../src/declaration/apply.ts'
import type { Section } from '../../src/declaration/section.ts'
import { startService, type TestService } from '../support/service.ts'
import { apply } from './yard.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

const declaration = { applications: [{ slug: 'first', name: 'First' }] }
const applicationsNamed = (slug: string) =>
  service.ctx.db.selectFrom('applications').select('slug').where('slug', '=', slug).execute()

test('who breaks off before the first change, or after the last, finds everything as it was', async () => {
  const early = new AbortController()
  const wish = { declaration, prune: false }
  const soon = applyDeclaration(service.ctx, sections, {
    ...{ ...wish, signal: early.signal },
    approve: () => early.abort(new Error('broken off')),
  })
  await expect(soon).rejects.toThrow('broken off')
  const late = new AbortController()
  const last: Section[] = sections.map((section) => ({
    ...section,
    async plan(ctx, entries, planning) {
      const changes = await section.plan(ctx, entries, planning)
      return changes.map((change) => ({ ...change, finish: async () => late.abort(new Error('too late')) }))
    },
  }))
  const done = applyDeclaration(service.ctx, last, { ...wish, signal: late.signal, approve: () => {} })
  await expect(done).rejects.toThrow('too late')
  expect(await applicationsNamed('first')).toEqual([])
  await applyDeclaration(service.ctx, sections, { ...wish, approve: () => {} })
  expect(await applicationsNamed('first')).toHaveLength(1)
})

const SECRET = 'the-secret-of-operations'

test.each([
  [
    'a quotation mark that is never closed',
    `clients:\n  - { secret: "${SECRET} }\n`,
    /line \d+ \([A-Z_]+\)\.$/,
  ],
  ['a line that is no entry', `clients:\n  - secret: ${SECRET}\n ${SECRET}\n`, /line \d+ \([A-Z_]+\)\.$/],
  ['an alias of nothing', `clients:\n  - { secret: *${SECRET} }\n`, /not valid YAML/],
  [
    'far too many aliases',
    `a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [${'*a, '.repeat(50)}]\nc: &c [${'*b, '.repeat(50)}]\nd: [${'*c, '.repeat(50)}]`,
    /an alias has no anchor before it, or too many are used\.$/,
  ],
])('%s is told without what stands there', async (_, yaml, message) => {
  const told = await apply(service.ctx, yaml).catch((error: Error) => error)
  expect(told).toMatchObject({ name: 'OperatorError', message: expect.stringMatching(message) })
  expect(String(told)).not.toContain(SECRET)
})
