import type { Page } from 'playwright-core'
import { type Application, startApplication } from '../browser/application.ts'
import { takeScreenshots } from '../browser/screenshots.ts'
import { createNamedHost } from '../invitations/hosts.ts'
import { setDeviceFlow } from '../oauth/device-steps.ts'
import { openBrowser } from '../support/browser.ts'
import { addMember, startDemoService } from '../support/world.ts'
import { walkHostedPages } from './hosted-walk.ts'
import { inLanguage, NARROW } from './page-texts.ts'

export interface HostedPages {
  /** Opens every page in a language on a small phone. Returns the problems that are found, with the name of the page. */
  walk(language: string, find: (page: Page, name: string) => Promise<string[]>): Promise<string[]>
  close(): Promise<void>
}

/** The service and a browser, with all that the pages need. */
export async function openHostedPages(): Promise<HostedPages> {
  const service = await startDemoService({ worker: true })
  const names = { given_name: 'Hanna', family_name: 'Host', tenantName: 'Harbour House' }
  const host = await createNamedHost(service, names)
  const application: Application = await startApplication(service)
  await setDeviceFlow(service, 'demo-spa', true)
  await addMember(service, 'gus@globex.test', 'acme')
  const browser = await openBrowser()
  return {
    async walk(language, find) {
      const problems: string[] = []
      const viewport = { width: NARROW, height: 780 }
      const options = { viewport, reducedMotion: 'reduce', ...inLanguage(language, '127.0.0.1') } as const
      const context = await browser.newContext(options)
      const page = await context.newPage()
      const look = async (name: string) => {
        await takeScreenshots(page, `${language}-${name}`)
        for (const problem of await find(page, name)) problems.push(`${name}: ${problem}`)
      }
      await walkHostedPages({ service, application, host, context, page, look })
      await context.close()
      return problems
    },
    async close() {
      await browser.close()
      await application.close()
      await service.close()
    },
  }
}
