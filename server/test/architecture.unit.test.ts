import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** The layers, top to bottom. A unit may import from lower layers, and with `peers` also from its own layer. */
const LAYERS: { units: string[]; peers?: boolean }[] = [
  { units: ['cli', 'test-mode'], peers: true },
  { units: ['main'] },
  { units: ['app'] },
  { units: ['oauth', 'account', 'people', 'invitations', 'imports', 'overview'] },
  { units: ['licensing', 'sso', 'events', 'mail-templates', 'support-access'] },
  { units: ['sessions', 'tenants', 'applications'] },
  { units: ['users', 'branding'] },
  { units: ['audit'] },
  { units: ['mail', 'declaration', 'jobs', 'http', 'ui', 'console', 'keys'], peers: true },
  { units: ['context'] },
  { units: ['db'] },
  { units: ['config', 'errors', 'languages', 'lib'], peers: true },
]
const SLICES = LAYERS.slice(3, 8).flatMap(({ units }) => units)
const PRIVATE_FILES = /^(?:(?:.*-)?(?:store|routes|schema)|pages|declare)\.tsx?$/
const QUERY = /\b(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(|\bsql`|\bsql</
const IMPORT = /^(?:import|export)\s(?:([\s\S]*?)\sfrom\s)?'([^']+)'/gm
const DYNAMIC_IMPORT = /\bimport\(\s*'([^']+)'/g

interface Import {
  from: string
  to: string
  typeOnly: boolean
  dynamic: boolean
}

const unitOf = (file: string) => file.split('/')[0]?.replace(/\.tsx?$/, '') ?? file
const layerOf = (file: string) => LAYERS.findIndex(({ units }) => units.includes(unitOf(file)))

function importsOf(file: string, text: string): Import[] {
  const found = [
    ...[...text.matchAll(IMPORT)].map(([, names = '', target = '']) => ({ names, target, dynamic: false })),
    ...[...text.matchAll(DYNAMIC_IMPORT)].map(([, target = '']) => ({ names: '', target, dynamic: true })),
  ]
  return found.map(({ names, target, dynamic }) => ({
    from: file,
    to: target.startsWith('.') ? normalize(join(dirname(file), target)) : target,
    typeOnly: names.startsWith('type ') || /^\{(?:\s*type\s[^,}]+,?)+\s*\}$/.test(names),
    dynamic,
  }))
}

/** All violations of the import rules in CONTRIBUTING.md. */
export function findViolations(sources: Map<string, string>): string[] {
  const imports = [...sources].flatMap(([file, text]) => importsOf(file, text))
  const inner = imports.filter(({ to }) => /\.tsx?$/.test(to))
  return [
    ...[...sources.keys()].filter((file) => layerOf(file) === -1).map((file) => `${file} is in no layer`),
    ...inner.filter(importsUpward).map(({ from, to }) => `${from} imports ${to}, which is not in a lower layer`),
    ...inner.filter(importsPrivateFile).map(({ from, to }) => `${from} imports ${to}, a private file of another slice`),
    ...findCycles(inner.filter(({ dynamic }) => !dynamic)).map((cycle) => `import cycle: ${cycle}`),
    ...imports.filter(importsDriver).map(({ from, to }) => `${from} imports ${to}: SQL belongs in a store`),
    ...[...sources]
      .filter(([file, text]) => !mayQuery(file) && QUERY.test(text))
      .map(([file]) => `${file} builds a query: SQL belongs in a store`),
    ...[...sources]
      .filter(([file, text]) => file !== 'config.ts' && text.includes('process.env'))
      .map(([file]) => `${file} reads process.env: only config.ts may`),
  ]
}

function importsUpward({ from, to }: Import): boolean {
  if (unitOf(from) === unitOf(to)) return false
  const [source, target] = [layerOf(from), layerOf(to)]
  return target < source || (target === source && !LAYERS[source]?.peers)
}

function importsPrivateFile({ from, to }: Import): boolean {
  const isOtherSlice = unitOf(from) !== unitOf(to) && SLICES.includes(unitOf(to)) && SLICES.includes(unitOf(from))
  return isOtherSlice && PRIVATE_FILES.test(to.split('/').at(-1) ?? '')
}

const mayQuery = (file: string) => unitOf(file) === 'db' || /[/-]store\.ts$/.test(file)
const importsDriver = ({ from, to, typeOnly }: Import) => ['kysely', 'pg'].includes(to) && !typeOnly && !mayQuery(from)

function findCycles(imports: Import[]): string[] {
  const targets = new Map<string, string[]>()
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to])
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, trail: string[]) => {
    const start = trail.indexOf(file)
    if (start !== -1) cycles.push([...trail.slice(start), file].join(' → '))
    if (start !== -1 || done.has(file)) return
    for (const target of targets.get(file) ?? []) visit(target, [...trail, file])
    done.add(file)
  }
  for (const file of targets.keys()) visit(file, [])
  return cycles
}

/** All violations of the rules for files and folders in CONTRIBUTING.md. */
export function findLayoutViolations(sources: Map<string, string>): string[] {
  const files = [...sources.keys()]
  const folders = new Map(
    files.map((file) => [dirname(file), files.filter((other) => dirname(other) === dirname(file))]),
  )
  return [
    ...[...sources]
      .filter(([file, text]) => !GENERATED.has(file) && text.split('\n').length > MAX_LINES + 1)
      .map(([file]) => `${file} has more than ${MAX_LINES} lines`),
    ...[...folders]
      .filter(([folder, files]) => files.length === 1 && !hasSubfolder(folders, folder))
      .map(([folder]) => `${folder} holds a single file`),
    ...[...folders]
      .filter(([, files]) => files.every((file) => /store\.ts$/.test(file)))
      .map(([folder]) => `${folder} holds only a store`),
  ]
}

const MAX_LINES = 300
const GENERATED = new Set(['sdk/client/src/types.ts'])
const hasSubfolder = (folders: Map<string, string[]>, folder: string) =>
  [...folders.keys()].some((other) => other.startsWith(`${folder}/`))

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url))

function readSources(folder: string, base = folder): Map<string, string> {
  const files = readdirSync(join(REPOSITORY, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(files.map((file) => [relative(join(REPOSITORY, base), file), readFileSync(file, 'utf8')]))
}

const PACKAGES = ['server/src', 'console/src', 'sdk/client/src', 'sdk/node/src', 'sdk/react/src', 'bench/src']

test.each(PACKAGES)('the files of %s are small, and no folder holds a single file', (folder) => {
  expect(findLayoutViolations(readSources(folder, '.'))).toEqual([])
})

test.each(PACKAGES)('%s has no import cycle, not even of types', (folder) => {
  const imports = [...readSources(folder)].flatMap(([file, text]) => importsOf(file, text))
  expect(findCycles(imports.filter(({ dynamic }) => !dynamic))).toEqual([])
})

test('every slice opens with a paragraph: a README, or the first comment of service.ts', () => {
  const opensWithComment = (text: string) => /^(?:import [^;]*?'\n)*\n*\/\*\*/.test(text)
  const undescribed = SLICES.filter((slice) => {
    const root = join(REPOSITORY, 'server/src', slice)
    if (existsSync(join(root, 'README.md'))) return false
    const service = join(root, 'service.ts')
    return !existsSync(service) || !opensWithComment(readFileSync(service, 'utf8'))
  })
  expect(undescribed).toEqual([])
})

test('there is one schema for dates', () => {
  const files = [...readSources('server/src')].filter(([, text]) => text.includes("format: 'date-time'"))
  expect(files.map(([file]) => file)).toEqual(['http/routing/schema.ts'])
})

test.each([
  [
    'a long file',
    new Map([
      ['a/b.ts', '\n'.repeat(301)],
      ['a/c.ts', ''],
    ]),
    'a/b.ts has more than 300 lines',
  ],
  ['a folder with one file', new Map([['a/b.ts', '']]), 'a holds a single file'],
  [
    'a folder of stores',
    new Map([
      ['a/store.ts', ''],
      ['a/b-store.ts', ''],
    ]),
    'a holds only a store',
  ],
])('%s is reported', (_, sources, message) => {
  expect(findLayoutViolations(sources)).toEqual([message])
})

test('imports point to lower layers, and SQL stays in the stores', () => {
  expect(findViolations(readSources('server/src'))).toEqual([])
})

test.each([
  ['lib/a.ts', "import { x } from '../http/b.ts'", 'lib/a.ts imports http/b.ts, which is not in a lower layer'],
  ['users/service.ts', "import { x } from '../tenants/service.ts'", 'which is not in a lower layer'],
  ['users/service.ts', "await import('../tenants/service.ts')", 'which is not in a lower layer'],
  ['licensing/routes.ts', "import { x } from '../oauth/token-endpoint.ts'", 'which is not in a lower layer'],
  ['oauth/token-endpoint.ts', "import { x } from '../users/store.ts'", 'a private file of another slice'],
  ['users/service.ts', "import { sql } from 'kysely'", 'imports kysely: SQL belongs in a store'],
  ['users/service.ts', 'ctx.db.selectFrom(', 'builds a query'],
  ['users/service.ts', 'process.env.HOME', 'reads process.env'],
  ['misc/a.ts', '', 'misc/a.ts is in no layer'],
])('a violation in %s is reported', (file, text, message) => {
  expect(findViolations(new Map([[file, text]]))).toEqual([expect.stringContaining(message)])
})

test('an import cycle is reported', () => {
  const sources = new Map([
    ['lib/a.ts', "import { b } from './b.ts'"],
    ['lib/b.ts', "import { a } from './a.ts'"],
  ])
  expect(findViolations(sources)).toEqual(['import cycle: lib/a.ts → lib/b.ts → lib/a.ts'])
})

test('every test file of the bench is named .unit.test or .slow.test', () => {
  const bench = fileURLToPath(new URL('../../bench/test/', import.meta.url))
  const misnamed = readdirSync(bench).filter(
    (name) => /\.test\.tsx?$/.test(name) && !/\.(unit|slow)\.test\.tsx?$/.test(name),
  )
  expect(misnamed).toEqual([])
})
