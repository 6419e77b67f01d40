import { findOutput } from './commands.mjs'

/** A sentence that says that Go, or this version of a module, is missing, or undefined. */
export async function findMissingGo({ minMinor, module }) {
  const [, minor] = /\bgo1\.(\d+)/.exec((await findOutput('go', ['version'])) ?? '') ?? []
  if (minor === undefined || Number(minor) < minMinor)
    return `Go 1.${minMinor} or later is not installed (Debian package golang-go).`
  const found = await findOutput('go', ['list', '-m', module])
  return found === undefined ? `go cannot get ${module} from a module proxy.` : undefined
}
