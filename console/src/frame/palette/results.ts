import type { Reply } from '@latchkey/client'
import type { Me } from '../../me.tsx'
import { shell } from '../../text/shell.ts'
import type { IconName } from '../../ui/icon.tsx'
import { listPages } from '../pages.ts'

/** Something the palette can open. */
export interface Result {
  href: string
  label: string
  note: string
  icon: IconName
}

export interface ResultGroup {
  title: string
  results: Result[]
}

const text = shell.palette
const MAX_PER_GROUP = 6

const toWords = (typed: string): string[] => typed.toLowerCase().split(/\s+/).filter(Boolean)

/** Whether each word occurs in the label or in the note. */
function matches({ label, note }: Result, words: string[]): boolean {
  const haystack = `${label} ${note}`.toLowerCase()
  return words.every((word) => haystack.includes(word))
}

/** A result whose label begins with the text comes first. */
const rank = ({ label }: Result, typed: string): number => (label.toLowerCase().startsWith(typed) ? 0 : 1)

const group = (title: string, results: Result[]): ResultGroup[] => (results.length > 0 ? [{ title, results }] : [])

/** Pages and own tenants, which need no request. */
export function findLocalResults(me: Me, location: string, typed: string): ResultGroup[] {
  const words = toWords(typed)
  const start = typed.trim().toLowerCase()
  const pages = [
    ...listPages(me, location).flatMap(({ title, pages }) => pages.map((page) => ({ ...page, note: title }))),
    ...(me.access.superAdmin
      ? [
          {
            href: '/instance/applications/new',
            label: text.newApplication,
            note: shell.instance,
            icon: 'plus' as const,
          },
        ]
      : []),
    { href: '/new-tenant', label: shell.newTenant, note: shell.account, icon: 'plus' as const },
  ]
  // An address of their own, because the results are told apart by it. It leads to the members.
  const tenants = me.tenants.map(({ slug, name }) => ({
    href: `/t/${slug}`,
    label: name,
    note: text.ownTenant,
    icon: 'building' as const,
  }))
  const select = (results: Result[]) =>
    results.filter((result) => matches(result, words)).toSorted((a, b) => rank(a, start) - rank(b, start))
  return [
    ...group(text.pages, select(pages).slice(0, words.length === 0 ? undefined : MAX_PER_GROUP)),
    ...group(text.tenants, select(tenants).slice(0, MAX_PER_GROUP)),
  ]
}

export const toUserResults = ({ users }: Reply<'GET /api/admin/users'>): ResultGroup[] =>
  group(
    text.people,
    users.map(({ id, displayName, email }) => ({
      href: `/instance/users/${id}`,
      label: displayName,
      note: email,
      icon: 'user',
    })),
  )

export const toMemberResults = (slug: string, { members }: Reply<'GET /api/tenants/{id}/members'>): ResultGroup[] =>
  group(
    text.people,
    members.map(({ user }) => ({
      href: `/t/${slug}/members?${new URLSearchParams({ search: user.email })}`,
      label: user.displayName,
      note: user.email,
      icon: 'user',
    })),
  )

export const toTenantResults = ({ tenants }: Reply<'GET /api/admin/tenants'>): ResultGroup[] =>
  group(
    text.allTenants,
    tenants.map(({ id, name, slug }) => ({
      href: `/instance/tenants/${id}`,
      label: name,
      note: slug,
      icon: 'building',
    })),
  )

export const toApplicationResults = ({ applications }: Reply<'GET /api/admin/applications'>): ResultGroup[] =>
  group(
    text.applications,
    applications.map(({ id, name, slug }) => ({
      href: `/instance/applications/${id}`,
      label: name,
      note: slug,
      icon: 'grid',
    })),
  )

/** Applications that the tenant has licenses of. The list is short, so that it is filtered here. */
export function toLicensedResults(
  slug: string,
  { applications }: Reply<'GET /api/tenants/{id}/licenses'>,
  typed: string,
): ResultGroup[] {
  const words = toWords(typed)
  const results = applications.map((application) => ({
    href: `/t/${slug}/licenses/${application.slug}`,
    label: application.name,
    note: shell.nav.tenant.licenses,
    icon: 'grid' as const,
  }))
  return group(text.applications, results.filter((result) => matches(result, words)).slice(0, MAX_PER_GROUP))
}
