import { findOutput } from './commands.mjs'

const MIN_JAVA = 17

/** A sentence that says that Java programs with this parent cannot be built, or undefined. */
export async function findMissingMaven(parent) {
  // Maven prints the version of the Java that it uses.
  const output = await findOutput('mvn', ['--version'])
  if (output === undefined) return 'Maven is not installed (Debian package maven).'
  const java = Number(/^Java version: (\d+)/m.exec(output)?.[1] ?? 0)
  if (java < MIN_JAVA) return `Java ${MIN_JAVA} or later is not installed (Debian package openjdk-17-jdk).`
  const get = ['--quiet', '--batch-mode', 'dependency:get', `-Dartifact=${parent}:pom`, '-Dtransitive=false']
  return (await findOutput('mvn', get)) === undefined ? `Maven cannot get ${parent} from a repository.` : undefined
}
