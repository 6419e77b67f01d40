// Checks the compose file: with Docker Compose, which needs no running container engine for that, or with the schema of
// the Compose Specification.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { hasProgram, runProgram } from './programs.mjs'

const requireFromServer = createRequire(new URL('../../server/package.json', import.meta.url))

/** Contains the schema. */
const COMPOSE_MODULE = 'github.com/compose-spec/compose-go/v2@v2.4.7'

export const missing = () =>
  hasCompose() || hasProgram('go')
    ? undefined
    : 'neither "docker compose" nor Go, to download the schema, are installed'

function hasCompose() {
  try {
    return hasProgram('docker') && runProgram('docker', ['compose', 'version']) !== ''
  } catch {
    return false
  }
}

export async function check({ repository, folder, log }) {
  const source = join(repository, 'ops/compose')
  if (!hasCompose()) {
    checkSchema(join(source, 'compose.yaml'))
    return log('the file matches the schema of the Compose Specification; "docker compose" is not installed')
  }
  const target = join(folder, 'ops/compose')
  mkdirSync(target, { recursive: true })
  copyFileSync(join(source, 'compose.yaml'), join(target, 'compose.yaml'))
  const settings = readFileSync(join(source, '.env.example'), 'utf8')
  writeFileSync(join(target, '.env'), settings.replace(/^(\w+(?:PASSWORD|KEY|TOKEN))=$/gm, '$1=x'))
  runProgram('docker', ['compose', '--file', join(target, 'compose.yaml'), 'config', '--quiet'])
  log('Docker Compose accepts the file')
}

function checkSchema(file) {
  const { Ajv } = requireFromServer('ajv')
  const { parse } = requireFromServer('yaml')
  const { Dir } = JSON.parse(runProgram('go', ['mod', 'download', '-json', COMPOSE_MODULE]))
  // The identifiers are those of an old version of JSON Schema.
  const withoutIds = (key, value) => (['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value)
  const schema = JSON.parse(readFileSync(join(Dir, 'schema/compose-spec.json'), 'utf8'), withoutIds)
  const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema)
  if (!validate(parse(readFileSync(file, 'utf8')))) throw new Error(JSON.stringify(validate.errors, undefined, 2))
}
