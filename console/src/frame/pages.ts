import type { Me, OwnTenant } from '../me.tsx'
import { findLastTenant } from '../session/last-tenant.ts'
import { shell } from '../text/shell.ts'
import type { IconName } from '../ui/icon.tsx'

export interface PageLink {
  href: string
  label: string
  icon: IconName
}

export interface PageGroup {
  title: string
  pages: PageLink[]
}

const { nav } = shell

const ACCOUNT_PAGES: PageLink[] = [
  { href: '/account/profile', label: nav.account.profile, icon: 'user' },
  { href: '/account/security', label: nav.account.security, icon: 'shield' },
  { href: '/account/sessions', label: nav.account.sessions, icon: 'device' },
  { href: '/account/data', label: nav.account.data, icon: 'box' },
]

const INSTANCE_PAGES: PageLink[] = [
  { href: '/instance', label: nav.instance.home, icon: 'home' },
  { href: '/instance/applications', label: nav.instance.applications, icon: 'grid' },
  { href: '/instance/license-types', label: nav.instance.licenseTypes, icon: 'tag' },
  { href: '/instance/tenants', label: nav.instance.tenants, icon: 'building' },
  { href: '/instance/users', label: nav.instance.users, icon: 'users' },
  { href: '/instance/keys', label: nav.instance.keys, icon: 'key' },
  { href: '/instance/webhooks', label: nav.instance.webhooks, icon: 'hook' },
  { href: '/instance/mails', label: nav.instance.mails, icon: 'mail' },
  { href: '/instance/audit', label: nav.instance.audit, icon: 'list' },
  { href: '/instance/health', label: nav.instance.health, icon: 'pulse' },
]

/** Members see members, licenses and settings. The rest is for owners and admins. */
const tenantPages = (slug: string, isManager: boolean): PageLink[] => [
  { href: `/t/${slug}/members`, label: nav.tenant.members, icon: 'users' },
  ...(isManager ? [{ href: `/t/${slug}/invitations`, label: nav.tenant.invitations, icon: 'mail' as const }] : []),
  { href: `/t/${slug}/licenses`, label: nav.tenant.licenses, icon: 'seat' },
  ...(isManager
    ? [
        { href: `/t/${slug}/webhooks`, label: nav.tenant.webhooks, icon: 'hook' as const },
        { href: `/t/${slug}/mails`, label: nav.tenant.mails, icon: 'edit' as const },
        { href: `/t/${slug}/audit`, label: nav.tenant.audit, icon: 'list' as const },
      ]
    : []),
  { href: `/t/${slug}/settings`, label: nav.tenant.settings, icon: 'gear' },
]

/** The tenant in a path of the console. */
export const findTenantIn = (tenants: OwnTenant[], location: string): OwnTenant | undefined => {
  const slug = /^\/t\/([^/]+)/.exec(location)?.[1]
  return tenants.find((own) => own.slug === slug)
}

/** The tenant whose pages are offered: the one in the path, the last used one, or any. */
export const findCurrentTenant = (tenants: OwnTenant[], location: string): OwnTenant | undefined =>
  findTenantIn(tenants, location) ?? tenants.find(({ slug }) => slug === findLastTenant()) ?? tenants[0]

/** Every page the user has access to. Operators see the instance first. */
export function listPages({ access, tenants }: Pick<Me, 'access' | 'tenants'>, location: string): PageGroup[] {
  const tenant = findCurrentTenant(tenants, location)
  return [
    ...(access.superAdmin ? [{ title: shell.instance, pages: INSTANCE_PAGES }] : []),
    ...(tenant ? [{ title: tenant.name, pages: tenantPages(tenant.slug, tenant.role !== 'member') }] : []),
    { title: shell.account, pages: ACCOUNT_PAGES },
  ]
}
