import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { hasProgram, runProgram } from './programs.mjs'

/** Programs written in Go that are compiled if they are not installed. */
const MODULES = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.16.4',
  // Unlike other validators it contains the schemas of Kubernetes, and downloads nothing when it runs.
  'kubectl-validate': 'sigs.k8s.io/kubectl-validate@v0.0.4',
}

/** Returns the path of the program. Compiles it with Go into the cache, once, if it is not installed. */
export function findGoTool(name, { cache, log }) {
  if (hasProgram(name)) return name
  const folder = join(cache, 'bin')
  const program = join(folder, name)
  if (existsSync(program)) return program
  log(`compiling ${MODULES[name]}; this is done once and takes some minutes`)
  mkdirSync(folder, { recursive: true })
  runProgram('go', ['install', MODULES[name]], { env: { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod' } })
  return program
}
