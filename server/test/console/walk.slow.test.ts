import { expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { openStage } from './stage.ts'

// The quick run's test of the console: one walk through its areas. What each page does is tested in the files beside
// this one, in the full run.

const ACCOUNT = ['/account/profile', ...others('/account/security', '/account/sessions', '/account/data')]
const TENANT = [
  ...['members', 'licenses', 'audit'],
  ...others('invitations', 'licenses/project-manager', 'webhooks', 'settings'),
]
const INSTANCE = [
  ...['/instance', '/instance/tenants', '/instance/users'],
  ...others('/instance/applications', '/instance/applications/new', '/instance/license-types'),
  ...others('/instance/keys', '/instance/webhooks', '/instance/audit', '/instance/health'),
]

/** Pages of the same areas, for the full run. */
function others(...pages: string[]): string[] {
  return FULL ? pages : []
}

test.skipIf(!browserPath)(
  'whoever signs in reaches the pages of the console, and each loads without an error',
  async () => {
    const stage = await openStage()
    try {
      const walks = [
        ['olivia@acme.test', [...ACCOUNT, ...TENANT.map((place) => `/t/acme/${place}`)]],
        ['admin@latchkey.test', INSTANCE],
      ] as const
      for (const [email, places] of walks) {
        const { page, go, complaints } = await stage.as(email, places[0])
        const headings = new Set<string | null>()
        for (const place of places) {
          await go(place)
          const heading = page.getByRole('heading', { level: 1 })
          await page.waitForLoadState('networkidle')
          // Some pages have the heading of their list until their own data arrive.
          await expect.poll(async () => headings.has(await heading.textContent())).toBe(false)
          headings.add(await heading.textContent())
          expect(new URL(page.url()).pathname, place).toBe(`/console${place}`)
          expect(await page.getByRole('alert').allTextContents(), place).toEqual([])
        }
        expect([...headings]).toHaveLength(places.length)
        expect([...headings]).not.toContain('There is nothing here')
        expect(complaints).toEqual([])
      }
    } finally {
      await stage.close()
    }
  },
  120_000,
)
