import type { ReactNode } from 'react'
import { rich } from '../ui/rich-text.ts'
import { t } from './translate.ts'

/** What the scopes of a sign-in allow an application. */
const SCOPES: Record<string, string> = {
  openid: t('Know who you are'),
  profile: t('See your name, picture, gender, date of birth, website, language and time zone'),
  email: t('See your email address'),
  offline_access: t('Stay signed in while you are away'),
}

/** What the scopes of a consent allow. The scopes of a resource, which follow its URI, are listed with it. */
export function describeConsent(scopes: string[]): string[] {
  const ofResources = new Map<string, string[]>()
  for (const [uri = '', scope] of scopes.map((stored) => stored.split(' '))) {
    if (scope !== undefined) ofResources.set(uri, [...(ofResources.get(uri) ?? []), scope])
  }
  const others = scopes.filter((scope) => !scope.includes(' ') && !ofResources.has(scope))
  const known = Object.keys(SCOPES).filter((scope) => others.includes(scope))
  const unknown = others.filter((scope) => !Object.hasOwn(SCOPES, scope)).sort()
  return [
    ...known.map((scope) => SCOPES[scope] ?? scope),
    ...unknown,
    ...[...ofResources].map(([uri, granted]) => `${uri}: ${granted.sort().join(', ')}`),
  ]
}

const common = {
  title: t('Third-party applications'),
  allowed: (time: ReactNode) => rich('Allowed {time}', { time }),
  lastUsed: (time: ReactNode) => rich('Last used {time}', { time }),
  unused: t('Not in use'),
  withdraw: t('Withdraw'),
  withdrawTitle: t('Withdraw the access?'),
}

const toPlace = (application: string, tenant: string | null) =>
  tenant === null ? application : t('{application} in {tenant}', { application, tenant })

/** The consents of the signed-in person. */
export const ownConsents = {
  ...common,
  lead: t('Applications that you allowed to use your account. If you withdraw the access, it ends at once.'),
  empty: t('You have given no application access'),
  emptyText: t('A third-party application asks you before it reads anything. Those that you allow appear here.'),
  withdrawLabel: (application: string, tenant: string | null) =>
    t('Withdraw the access of {place}', { place: toPlace(application, tenant) }),
  withdrawText: (application: string, tenant: string | null) =>
    t('The access of {place} ends at once. It asks you again next time.', { place: toPlace(application, tenant) }),
  withdrawn: (application: string, tenant: string | null) =>
    t('The access of {place} was withdrawn.', { place: toPlace(application, tenant) }),
}

/** The consents of somebody, for an operator. */
export const userConsents = {
  ...common,
  lead: t('Applications that this person allowed to use the account. If you withdraw the access, it ends at once.'),
  empty: t('No application has access'),
  emptyText: t('Third-party applications that this person allows appear here. Trusted ones need no consent.'),
  withdrawLabel: ownConsents.withdrawLabel,
  withdrawText: (application: string, tenant: string | null) =>
    t('The access of {place} ends at once. It asks the person again next time.', {
      place: toPlace(application, tenant),
    }),
  withdrawn: ownConsents.withdrawn,
}
