import { expect } from 'vitest'
import type { Tab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { createBrandedApplication } from './calls.ts'
import { LOGO } from './images.ts'

/** The brand that a page shows. */
export function brandOn(html: string) {
  const [, head = ''] = /<header[^>]*>(.*?)<\/header>/s.exec(html) ?? []
  return {
    title: / · ([^<]*)<\/title>/.exec(html)?.[1],
    name: head.replace(/<[^>]*>/g, '').trim(),
    logo: /<img[^>]* src="(\/branding\/[0-9a-f]{64})"/.exec(head)?.[1],
    color: /href="\/assets\/brand-([0-9a-f]{6})-[0-9a-f]{8}\.css"/.exec(html)?.[1],
    secured: html.includes('Secured by Latchkey'),
  }
}
export const DEFAULT_BRAND = {
  title: 'Latchkey',
  name: 'Latchkey',
  logo: undefined,
  color: undefined,
  secured: false,
}
export const toBrand = (name: string, more: object = {}) => ({ title: name, name, secured: true, ...more })
/** The brand of `newReports` on a page. */
export const REPORTS = toBrand('Reports &amp; Co', { logo: expect.any(String), color: '8a5a00' })

/** A third-party application with a complete branding. */
export async function newReports(service: TestService) {
  const application = await createBrandedApplication(service, { trusted: false })
  await application.brand({ displayName: 'Reports & Co', color: '#8a5a00', logo: LOGO })
  return application
}

/** Opens a path and follows redirects within the service. */
export async function follow(tab: Tab, path: string) {
  let page = await tab.open(path)
  while (page.location.startsWith('/')) page = await tab.open(page.location)
  return page
}
export async function submit(tab: Tab, fields: Record<string, string>) {
  const page = await tab.submit(fields)
  return page.location.startsWith('/') ? follow(tab, page.location) : page
}
export const linkOn = (html: string, words: string) =>
  (new RegExp(`<a[^>]*href="([^"]*)"[^>]*>${words}`).exec(html)?.[1] ?? '').replaceAll('&amp;', '&')
