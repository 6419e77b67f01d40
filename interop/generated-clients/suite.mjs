// Checks the API description with two linters, generates clients in three languages from it, compiles them, and calls
// two routes with each.
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findOutput, run as runCommand } from '../commands.mjs'

export const name = 'API description: linters and generated clients'

const HERE = import.meta.dirname
const ROOT = join(HERE, '../..')
const DESCRIPTION = join(ROOT, 'docs/openapi.json')
const GENERATOR = '@openapitools/openapi-generator-cli'

export async function findMissing({ folder }) {
  if ((await findOutput('java', ['-version'])) === undefined)
    return 'Java 11 or later is not installed (Debian package openjdk-17-jre-headless).'
  const version = await findOutput('npx', ['--yes', GENERATOR, 'version'], { cwd: folder })
  return version === undefined ? 'npm cannot fetch openapi-generator.' : undefined
}

export async function run({ url, folder }) {
  const npx = (...args) => runCommand('npx', ['--yes', ...args], { cwd: folder })
  await npx('@redocly/cli', 'lint', DESCRIPTION, '--config', join(HERE, 'redocly.yaml'), '--max-problems', '20')
  const ruleset = ['--ruleset', join(HERE, 'spectral.yaml'), '--fail-severity', 'warn']
  await npx('@stoplight/spectral-cli', 'lint', DESCRIPTION, ...ruleset)

  const generate = (language, properties) =>
    npx(
      ...[GENERATOR, 'generate', '--input-spec', `${url}/openapi.json`, '--generator-name', language],
      ...['--output', join(folder, language), '--additional-properties', properties],
    )
  const env = await createEnvironment(url)
  await generate('typescript-fetch', 'modelPropertyNaming=original,paramNaming=original')
  await tryTypeScript(join(folder, 'typescript-fetch'), env)
  if ((await findOutput('python3', ['-c', 'import venv, ensurepip'])) !== undefined)
    await tryLanguage('python', { generate, folder, env })
  if ((await findOutput('go', ['version'])) !== undefined) await tryLanguage('go', { generate, folder, env })
}

/** The address, a token of the machine client of the demo, and the id of its application. */
async function createEnvironment(url) {
  const response = await fetch(`${url}/api/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('demo-machine:demo-machine-secret')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const { access_token } = await response.json()
  const { aud } = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString())
  return { LATCHKEY_URL: url, ACCESS_TOKEN: access_token, APPLICATION_ID: aud }
}

async function tryTypeScript(folder, env) {
  cpSync(join(HERE, 'main.ts'), join(folder, 'main.ts'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'commonjs' }))
  const options = ['--strict', '--target', 'es2022', '--module', 'commonjs', '--lib', 'es2022,dom', '--outDir', 'dist']
  await runCommand(
    join(ROOT, 'node_modules/.bin/tsc'),
    [...options, '--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types'), 'main.ts'],
    { cwd: folder },
  )
  await runCommand(process.execPath, ['dist/main.js'], { cwd: folder, env })
}

async function tryLanguage(language, { generate, folder, env }) {
  const target = join(folder, language)
  await generate(language, 'packageName=latchkeyapi')
  if (language === 'python') {
    const venv = join(folder, 'venv')
    await runCommand('python3', ['-m', 'venv', venv])
    await runCommand(join(venv, 'bin/pip'), ['install', '--quiet', target])
    return runCommand(join(venv, 'bin/python'), [join(HERE, 'main.py')], { env })
  }
  const program = join(folder, 'program')
  cpSync(join(HERE, 'go'), program, { recursive: true })
  // The generated tests are empty, and name a module that does not exist.
  rmSync(join(target, 'test'), { recursive: true })
  await runCommand('go', ['mod', 'edit', '-module', 'latchkeyapi'], { cwd: target })
  await runCommand('go', ['mod', 'tidy'], { cwd: target })
  await runCommand('go', ['mod', 'edit', '-replace', `latchkeyapi=${target}`], { cwd: program })
  await runCommand('go', ['mod', 'tidy'], { cwd: program })
  return runCommand('go', ['run', '.'], { cwd: program, env })
}
