// Releases all packages with one version.
//
//   npm run release -- <version | patch | minor | major> [--dry-run]
//
// It checks that the work tree is clean and that CHANGELOG.md has something to say, sets the version everywhere, dates the
// changelog, packs and tries the packages, commits, tags and publishes. A dry run does all of it in a temporary copy of
// the repository and publishes nothing.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const PUBLISHED = ['sdk/client', 'sdk/node', 'sdk/react', 'server']

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean' } } })
const isDryRun = values['dry-run'] ?? false

const run = (folder, command, ...args) =>
  execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

try {
  if (isDryRun) await inCopy(release)
  else release(root)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

function release(folder) {
  if (run(root, 'git', 'status', '--porcelain').length > 0) throw new Error('There are uncommitted changes.')
  const previous = readJson(join(folder, 'package.json')).version
  const version = nextVersion(previous, positionals[0])
  dateChangelog(join(folder, 'CHANGELOG.md'), version)
  setVersion(folder, version)
  run(folder, 'npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund')
  run(folder, 'npm', 'run', 'docs')
  run(folder, 'npm', 'run', 'test:packages')
  run(folder, 'git', 'commit', '--all', '--quiet', '--message', `chore: release ${version}`)
  run(folder, 'git', 'tag', `v${version}`)
  for (const workspace of PUBLISHED) {
    const args = ['publish', '--workspace', workspace, ...(isDryRun ? ['--dry-run'] : [])]
    run(folder, 'npm', ...args)
    console.log(
      `${readJson(join(folder, workspace, 'package.json')).name}@${version} ${isDryRun ? 'could be' : 'was'} published.`,
    )
  }
  console.log(isDryRun ? 'Nothing was changed or published.' : `Now push main and the tag v${version}.`)
}

/** A dry run changes nothing here. */
async function inCopy(work) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-release-'))
  try {
    run(root, 'git', 'clone', '--quiet', root, folder)
    run(folder, 'npm', 'ci', '--no-audit', '--no-fund')
    work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function nextVersion(previous, wanted) {
  const [major, minor, patch] = previous.split('.').map(Number)
  const next = { major: `${major + 1}.0.0`, minor: `${major}.${minor + 1}.0`, patch: `${major}.${minor}.${patch + 1}` }
  const version = next[wanted] ?? wanted
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version ?? '')) {
    throw new Error('Say which version to release: patch, minor, major, or a version such as 1.2.0.')
  }
  if (version === previous) throw new Error(`${version} is the current version.`)
  return version
}

/** The section Unreleased becomes the section of the version, and a new one is begun. */
function dateChangelog(path, version) {
  const text = readFileSync(path, 'utf8')
  const [, unreleased = ''] = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(text) ?? []
  if (!/^- /m.test(unreleased)) throw new Error('CHANGELOG.md has no entry under "Unreleased".')
  const today = new Date().toISOString().slice(0, 10)
  writeFileSync(path, text.replace('## Unreleased\n', `## Unreleased\n\n## ${version} - ${today}\n`))
}

/** All packages have the same version and depend on exactly each other's. */
function setVersion(folder, version) {
  const paths = ['.', ...readJson(join(folder, 'package.json')).workspaces].map((name) =>
    join(folder, name, 'package.json'),
  )
  const names = new Set(paths.map((path) => readJson(path).name))
  for (const path of paths) {
    const text = readFileSync(path, 'utf8').replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`)
    const pinned = text.replace(/^( {4}"([^"]+)": )"\d[^"]*"/gm, (line, start, name) =>
      names.has(name) ? `${start}"${version}"` : line,
    )
    writeFileSync(path, pinned)
  }
}
