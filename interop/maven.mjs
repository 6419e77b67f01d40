import { findOutput } from './commands.mjs'

const MIN_JAVA = 17

/** A sentence that says that Java programs cannot be built, or undefined. */
export async function findMissingMaven() {
  // Maven prints the version of the Java that it uses.
  const output = await findOutput('mvn', ['--version'])
  if (output === undefined) return 'Maven is not installed (Debian package maven).'
  const java = Number(/^Java version: (\d+)/m.exec(output)?.[1] ?? 0)
  return java < MIN_JAVA ? `Java ${MIN_JAVA} or later is not installed (Debian package openjdk-17-jdk).` : undefined
}
