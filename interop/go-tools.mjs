import { findOutput } from './commands.mjs'

/** A sentence that says that Go, or one of these module versions, is missing, or undefined. */
export async function findMissingGo({ minMinor, modules }) {
  const [, minor] = /\bgo1\.(\d+)/.exec((await findOutput('go', ['version'])) ?? '') ?? []
  if (minor === undefined || Number(minor) < minMinor)
    return `Go 1.${minMinor} or later is not installed (Debian package golang-go).`
  for (const module of modules)
    if ((await findOutput('go', ['list', '-m', module])) === undefined)
      return `go cannot get ${module} from a module proxy.`
}
