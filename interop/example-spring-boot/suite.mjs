import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findOutput } from '../commands.mjs'
import { EXAMPLES, testReportsApi } from '../reports-api.mjs'

export const name = 'Example spring-boot'

const EXAMPLE = join(EXAMPLES, 'spring-boot')
const MAVEN = ['--batch-mode', '--quiet']

export async function findMissing({ folder }) {
  if ((await findOutput('javac', ['-version'])) === undefined || (await findOutput('mvn', ['-version'])) === undefined)
    return 'Java 17 or later and Maven are not installed (Debian packages openjdk-17-jdk-headless and maven).'
  const [, version] = /<version>(.*)<\/version>/.exec(readFileSync(join(EXAMPLE, 'pom.xml'), 'utf8'))
  const artifact = `org.springframework.boot:spring-boot-dependencies:${version}:pom`
  const args = [...MAVEN, 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]
  return (await findOutput('mvn', args)) === undefined ? 'Maven cannot reach a repository.' : undefined
}

export async function run({ url, folder }) {
  // Maven writes into the folder of the project.
  const cwd = join(folder, 'project')
  cpSync(EXAMPLE, cwd, { recursive: true, filter: (path) => path !== join(EXAMPLE, 'target') })
  await testReportsApi({
    url,
    cwd,
    toCommand: () => ['mvn', ...MAVEN, 'spring-boot:run'],
    toUser: ({ sub, tenant_id }) => {
      const scopes = ['SCOPE_email', 'SCOPE_offline_access', 'SCOPE_openid', 'SCOPE_profile']
      // Spring Security adds FACTOR_BEARER.
      return { user: sub, authorities: ['FACTOR_BEARER', 'ROLE_member', ...scopes, `TENANT_${tenant_id}`] }
    },
  })
}
