// Packs what is published, installs it into an empty folder and uses it there as a new user would: starts the demo,
// protects a route with the first example of the README of @latchkey/node, and compiles the examples of @latchkey/react.
//
//   node .ci/packages.mjs [--node <path of another Node.js>]
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PACKAGES, pack } from './pack.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({ options: { node: { type: 'string', default: process.execPath } } })

const START_SECONDS = 60

const folder = mkdtempSync(join(tmpdir(), 'latchkey-packages-'))
const children = []
try {
  await tryPackages()
} finally {
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(children.map((child) => child.exitCode ?? new Promise((done) => child.once('close', done))))
  rmSync(folder, { recursive: true, force: true })
}

async function tryPackages() {
  const files = PACKAGES.map((entry) => pack(entry, folder))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  const others = ['express', 'react', 'react-dom', '@types/react', '@types/react-dom']
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...files, ...others], { cwd: folder, stdio: 'pipe' })
  for (const { name } of PACKAGES) checkExports(name)
  renderReact()
  compileReactExamples()

  const issuer = `http://localhost:${await findPort()}`
  const latchkey = join(folder, 'node_modules/latchkey/bin/latchkey.js')
  start(latchkey, ['demo'], { PORT: new URL(issuer).port })
  await waitFor(`${issuer}/health/ready`)
  expect((await fetch(`${issuer}/console/`)).status, 200, 'the console')

  const tokenOf = (user) => {
    const args = [latchkey, 'token', '--user', user, '--client', 'demo-spa', '--url', issuer]
    return JSON.parse(execFileSync(values.node, args, { cwd: folder, stdio: 'pipe' })).access_token
  }
  const mia = tokenOf('mia@acme.test')
  const { aud } = JSON.parse(Buffer.from(mia.split('.')[1], 'base64url').toString())
  const api = `http://localhost:${await findPort()}`
  writeFileSync(join(folder, 'app.js'), readExample({ issuer, api }))
  start(join(folder, 'app.js'), [], { APPLICATION_ID: aud })
  await waitFor(`${api}/reports`)

  const ask = (token) => fetch(`${api}/reports`, { headers: token ? { authorization: `Bearer ${token}` } : {} })
  expect((await ask()).status, 401, 'a request without a token')
  const licensed = await ask(mia)
  expect(licensed.status, 200, 'a licensed user')
  expect((await licensed.json()).tenant, 'acme', 'the tenant')
  expect((await ask(tokenOf('max@acme.test'))).status, 403, 'a user without a license')
  console.log(
    `The packages work in an empty folder with ${execFileSync(values.node, ['--version']).toString().trim()}.`,
  )
}

/** Every entry point, and its types, must be in the package. */
function checkExports(name) {
  const installed = join(folder, 'node_modules', name)
  const { exports = {}, bin = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  const targets = Object.values(exports).flatMap(({ types, default: file }) => [types, file])
  for (const target of [...targets, ...Object.values(bin)]) {
    if (!existsSync(join(installed, target))) throw new Error(`${name} has no ${target}.`)
  }
}

/** A server renders the components before the browser does. There, nobody is signed in. */
function renderReact() {
  const code = `
    import { createElement } from 'react'
    import { renderToString } from 'react-dom/server'
    import { IfLicensed, LatchkeyProvider, TenantSwitcher, useAuth, useUser } from '@latchkey/react'
    const Status = () => useAuth().status + ' ' + useUser()
    const license = createElement(IfLicensed, { feature: 'export', loading: 'checking', fallback: 'none' }, 'licensed')
    const props = { issuer: 'http://localhost:3000', clientId: 'demo-spa', applicationId: 'a' }
    const children = [createElement(Status), ', ', license, createElement(TenantSwitcher)]
    console.log(renderToString(createElement(LatchkeyProvider, props, ...children)).replaceAll('<!-- -->', ''))`
  const output = execFileSync(values.node, ['--input-type=module', '--eval', code], { cwd: folder }).toString().trim()
  expect(output, 'loading undefined, checking', 'the components of @latchkey/react on a server')
}

/** The examples of the README must fit the types in the package. */
function compileReactExamples() {
  const readme = readFileSync(join(root, 'sdk/react/README.md'), 'utf8')
  const examples = [...readme.matchAll(/```tsx\n([\s\S]*?)```/g)].map(([, code], index) => {
    const file = join(folder, `example-${index}.tsx`)
    writeFileSync(file, code)
    return file
  })
  const options = ['--noEmit', '--strict', '--jsx', 'react-jsx', '--module', 'nodenext', '--lib', 'es2023,dom']
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  try {
    execFileSync(process.execPath, [tsc, ...options, ...examples], { cwd: folder, stdio: 'pipe' })
  } catch ({ stdout }) {
    throw new Error(`An example of sdk/react/README.md does not compile:\n${stdout}`)
  }
  console.log(`The ${examples.length} examples of @latchkey/react compile.`)
}

/** The first example of the README, with the addresses of this run. */
function readExample({ issuer, api }) {
  const readme = readFileSync(join(root, 'sdk/node/README.md'), 'utf8')
  const [, code] = /```js\n([\s\S]*?)```/.exec(readme)
  return code.replace('http://localhost:3000', issuer).replace('4000', new URL(api).port)
}

function start(file, args, env) {
  const child = spawn(values.node, [file, ...args], { cwd: folder, env: { ...process.env, ...env }, stdio: 'pipe' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  child.once('exit', (code) => code && console.error(output))
  children.push(child)
}

async function waitFor(url) {
  for (let attempt = 0; attempt < START_SECONDS * 10; attempt++) {
    if (children.some(({ exitCode }) => exitCode !== null)) throw new Error('A program ended.')
    if (await fetch(url).catch(() => undefined)) return
    await sleep(100)
  }
  throw new Error(`${url} did not answer within ${START_SECONDS} s.`)
}

function findPort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

function expect(actual, expected, what) {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`)
}
