import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** The floors of the house, top to bottom. A unit may lean on lower floors; `beside` lets it lean on its own too. */
const FLOORS: { units: string[]; beside?: boolean }[] = [
  { units: ['cli'] },
  { units: ['main'] },
  { units: ['app'] },
  // The overview looks at every slice below, and none looks at it.
  { units: ['oauth', 'account', 'invitations', 'imports', 'overview'] },
  { units: ['licensing', 'sso', 'events'] },
  { units: ['sessions', 'tenants', 'applications'] },
  { units: ['users', 'branding'] },
  { units: ['audit'] },
  { units: ['mail', 'declaration', 'jobs', 'http', 'ui', 'console', 'keys'], beside: true },
  { units: ['context'] },
  { units: ['db'] },
  { units: ['config', 'errors', 'lib'], beside: true },
]
const SLICES = FLOORS.slice(3, 8).flatMap(({ units }) => units)
const PRIVATE_ROOMS = /^(?:store|routes|schema|pages|declare)\.tsx?$/
const QUERY = /\b(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(|\bsql`|\bsql</
const IMPORT = /^(?:import|export)\s(?:([\s\S]*?)\sfrom\s)?'([^']+)'/gm
const LATER = /\bimport\(\s*'([^']+)'/g

interface Import {
  from: string
  to: string
  typeOnly: boolean
  /** Loaded when it is needed, and leaned on all the same. */
  later: boolean
}

const unitOf = (file: string) => file.split('/')[0]?.replace(/\.tsx?$/, '') ?? file
const floorOf = (file: string) => FLOORS.findIndex(({ units }) => units.includes(unitOf(file)))

function importsOf(file: string, text: string): Import[] {
  const found = [
    ...[...text.matchAll(IMPORT)].map(([, names = '', target = '']) => ({ names, target, later: false })),
    ...[...text.matchAll(LATER)].map(([, target = '']) => ({ names: '', target, later: true })),
  ]
  return found.map(({ names, target, later }) => ({
    from: file,
    to: target.startsWith('.') ? normalize(join(dirname(file), target)) : target,
    typeOnly: names.startsWith('type ') || /^\{(?:\s*type\s[^,}]+,?)+\s*\}$/.test(names),
    later,
  }))
}

/** Every breach of the arrows, each naming the import that makes it. */
export function findViolations(sources: Map<string, string>): string[] {
  const imports = [...sources].flatMap(([file, text]) => importsOf(file, text))
  const inner = imports.filter(({ to }) => /\.tsx?$/.test(to))
  return [
    ...[...sources.keys()].filter((file) => floorOf(file) === -1).map((file) => `${file} is on no floor`),
    ...inner.filter(climbs).map(({ from, to }) => `${from} imports ${to}, which is not below it`),
    ...inner.filter(intrudes).map(({ from, to }) => `${from} imports ${to}, a private room of another slice`),
    ...findCycles(inner.filter(({ later }) => !later)).map((cycle) => `these import each other: ${cycle}`),
    ...imports.filter(reachesDatabase).map(({ from, to }) => `${from} imports ${to}: SQL belongs in a store`),
    ...[...sources]
      .filter(([file, text]) => !mayQuery(file) && QUERY.test(text))
      .map(([file]) => `${file} builds a query: SQL belongs in a store`),
    ...[...sources]
      .filter(([file, text]) => file !== 'config.ts' && text.includes('process.env'))
      .map(([file]) => `${file} reads process.env: only config.ts may`),
  ]
}

function climbs({ from, to }: Import): boolean {
  if (unitOf(from) === unitOf(to)) return false
  const [above, below] = [floorOf(from), floorOf(to)]
  return below < above || (below === above && !FLOORS[above]?.beside)
}

function intrudes({ from, to }: Import): boolean {
  const other = unitOf(from) !== unitOf(to) && SLICES.includes(unitOf(to)) && SLICES.includes(unitOf(from))
  return other && PRIVATE_ROOMS.test(to.split('/').at(-1) ?? '')
}

const mayQuery = (file: string) => unitOf(file) === 'db' || file.endsWith('/store.ts')
const reachesDatabase = ({ from, to, typeOnly }: Import) =>
  ['kysely', 'pg'].includes(to) && !typeOnly && !mayQuery(from)

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

function readSources(): Map<string, string> {
  const root = fileURLToPath(new URL('../src/', import.meta.url))
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(files.map((file) => [relative(root, file), readFileSync(file, 'utf8')]))
}

test('every import of the house points downward, and SQL stays in the stores', () => {
  expect(findViolations(readSources())).toEqual([])
})

test.each([
  ['lib/a.ts', "import { x } from '../http/b.ts'", 'lib/a.ts imports http/b.ts, which is not below it'],
  ['users/service.ts', "import { x } from '../tenants/service.ts'", 'which is not below it'],
  ['users/service.ts', "await import('../tenants/service.ts')", 'which is not below it'],
  ['licensing/routes.ts', "import { x } from '../oauth/token.ts'", 'which is not below it'],
  ['oauth/token.ts', "import { x } from '../users/store.ts'", 'a private room of another slice'],
  ['users/service.ts', "import { sql } from 'kysely'", 'imports kysely: SQL belongs in a store'],
  ['users/service.ts', 'ctx.db.selectFrom(', 'builds a query'],
  ['users/service.ts', 'process.env.HOME', 'reads process.env'],
  ['misc/a.ts', '', 'misc/a.ts is on no floor'],
])('a breach in %s is named', (file, text, message) => {
  expect(findViolations(new Map([[file, text]]))).toEqual([expect.stringContaining(message)])
})

test('files that import each other are named', () => {
  const sources = new Map([
    ['lib/a.ts', "import { b } from './b.ts'"],
    ['lib/b.ts', "import { a } from './a.ts'"],
  ])
  expect(findViolations(sources)).toEqual(['these import each other: lib/a.ts → lib/b.ts → lib/a.ts'])
})

test('every test belongs to a tier: a file of the bench says which, for it asks no service', () => {
  const bench = fileURLToPath(new URL('../../bench/test/', import.meta.url))
  const untold = readdirSync(bench).filter(
    (name) => /\.test\.tsx?$/.test(name) && !/\.(unit|slow)\.test\.tsx?$/.test(name),
  )
  expect(untold).toEqual([])
})
