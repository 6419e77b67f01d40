import { afterAll, beforeAll, expect, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { applyDeclaration } from '../../src/declaration/apply.ts'
import type { Section } from '../../src/declaration/section.ts'
import { startService, type TestService } from '../support/service.ts'
import { apply } from './apply-yaml.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

const declaration = { applications: [{ slug: 'first', name: 'First' }] }
const applicationsNamed = (slug: string) =>
  service.ctx.db.selectFrom('applications').select('slug').where('slug', '=', slug).execute()

test('an abort before the first change or after the last one changes nothing', async () => {
  const early = new AbortController()
  const options = { declaration, prune: false }
  const abortedEarly = applyDeclaration(service.ctx, sections, {
    ...options,
    signal: early.signal,
    approve: () => early.abort(new Error('aborted early')),
  })
  await expect(abortedEarly).rejects.toThrow('aborted early')
  const late = new AbortController()
  const abortingSections: Section[] = sections.map((section) => ({
    ...section,
    async plan(ctx, entries, context) {
      const changes = await section.plan(ctx, entries, context)
      const finish = async () => late.abort(new Error('aborted late'))
      return changes.map((change) => ({ ...change, finish }))
    },
  }))
  const abortedLate = applyDeclaration(service.ctx, abortingSections, {
    ...options,
    signal: late.signal,
    approve: () => {},
  })
  await expect(abortedLate).rejects.toThrow('aborted late')
  expect(await applicationsNamed('first')).toEqual([])
  await applyDeclaration(service.ctx, sections, { ...options, approve: () => {} })
  expect(await applicationsNamed('first')).toHaveLength(1)
})

const SECRET = 'the-secret-of-operations'

test.each([
  ['an unclosed quotation mark', `clients:\n  - { secret: "${SECRET} }\n`, /line \d+ \([A-Z_]+\)\.$/],
  ['a line outside the list', `clients:\n  - secret: ${SECRET}\n ${SECRET}\n`, /line \d+ \([A-Z_]+\)\.$/],
  ['an alias without an anchor', `clients:\n  - { secret: *${SECRET} }\n`, /not valid YAML/],
  [
    'too many aliases',
    `a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [${'*a, '.repeat(50)}]\nc: &c [${'*b, '.repeat(50)}]\nd: [${'*c, '.repeat(50)}]`,
    /an alias has no anchor before it, or too many are used\.$/,
  ],
])('the error for %s does not quote the file', async (_, yaml, message) => {
  const error = await apply(service.ctx, yaml).catch((thrown: Error) => thrown)
  expect(error).toMatchObject({ name: 'OperatorError', message: expect.stringMatching(message) })
  expect(String(error)).not.toContain(SECRET)
})
