import { expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { openConsole } from './console-page.ts'

// The smoke test of the quick run. The other files test each page in the full run.

const ACCOUNT = ['/account/profile', ...fullRunOnly('/account/security', '/account/sessions', '/account/data')]
const TENANT = [
  'members',
  ...fullRunOnly('licenses', 'audit', 'invitations', 'licenses/project-manager', 'webhooks', 'mails', 'settings'),
]
const INSTANCE = [
  '/instance',
  '/instance/users',
  ...fullRunOnly(
    '/instance/tenants',
    '/instance/applications',
    '/instance/applications/new',
    '/instance/license-types',
  ),
  ...fullRunOnly('/instance/keys', '/instance/webhooks', '/instance/mails', '/instance/audit', '/instance/health'),
]

/** Pages that are only visited in the full run. */
function fullRunOnly(...pages: string[]): string[] {
  return FULL ? pages : []
}

test.skipIf(!browserPath)('every page of the console loads without an error', async () => {
  const consoleTest = await openConsole()
  try {
    const visits = [
      ['olivia@acme.test', [...ACCOUNT, ...TENANT.map((path) => `/t/acme/${path}`)]],
      ['admin@latchkey.test', INSTANCE],
    ] as const
    for (const [email, paths] of visits) {
      const { page, go, errors } = await consoleTest.signIn(email, paths[0])
      const headings = new Set<string | null>()
      for (const path of paths) {
        await go(path)
        const heading = page.getByRole('heading', { level: 1 })
        await page.waitForLoadState('networkidle')
        // Some pages show a generic heading until their data is loaded.
        await expect.poll(async () => headings.has(await heading.textContent())).toBe(false)
        headings.add(await heading.textContent())
        expect(new URL(page.url()).pathname, path).toBe(`/console${path}`)
        expect(await page.getByRole('alert').allTextContents(), path).toEqual([])
      }
      expect([...headings]).toHaveLength(paths.length)
      expect([...headings]).not.toContain('There is nothing here')
      expect(errors).toEqual([])
    }
  } finally {
    await consoleTest.close()
  }
})
