import { type ConsolePage, type ConsoleTest, DESKTOP } from '../console/console-page.ts'
import { inLanguage, NARROW } from './page-texts.ts'

const TENANT = [
  'members',
  'invitations',
  'licenses',
  'licenses/project-manager',
  'audit',
  'webhooks',
  'mails',
  'settings',
]
const INSTANCE = ['users', 'tenants', 'applications', 'applications/new', 'license-types', 'keys', 'webhooks', 'mails']

const AREAS = [
  {
    email: 'olivia@acme.test',
    paths: [
      ...['profile', 'security', 'sessions', 'data'].map((name) => `/account/${name}`),
      ...TENANT.map((name) => `/t/acme/${name}`),
      '/new-tenant',
    ],
  },
  {
    email: 'admin@latchkey.test',
    paths: ['/instance', ...[...INSTANCE, 'audit', 'health'].map((name) => `/instance/${name}`)],
  },
]

/** Opens every area in a language on a small phone. Returns the problems that are found, with the path. */
export async function walkConsole(
  consoleTest: ConsoleTest,
  language: string,
  find: (session: ConsolePage, path: string) => Promise<string[]>,
): Promise<string[]> {
  const problems: string[] = []
  const viewport = { ...DESKTOP, width: NARROW }
  for (const { email, paths } of AREAS) {
    const session = await consoleTest.signIn(email, paths[0], { ...inLanguage(language, 'localhost'), viewport })
    const { page } = session
    for (const path of paths) {
      await session.go(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForFunction(() => !document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root'))
      for (const problem of new Set(await find(session, path))) problems.push(`${path}: ${problem}`)
      await session.takeScreenshots(`${language}${path.replaceAll('/', '-')}`)
      await page.setViewportSize(viewport)
    }
    await page.context().close()
  }
  return problems
}
