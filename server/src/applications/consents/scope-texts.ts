import { t, translatable } from '../../languages/translate.ts'

const TEXTS: Record<string, string> = {
  openid: translatable('Know who you are'),
  profile: translatable('See your name, picture, gender, date of birth, website, language and time zone'),
  email: translatable('See your email address'),
  offline_access: translatable('Stay signed in while you are away'),
}

/** What a scope allows an application; undefined for the scopes of an API, which only its owner can explain. */
export const findScopeText = (scope: string): string | undefined =>
  Object.hasOwn(TEXTS, scope) ? t(TEXTS[scope] ?? scope) : undefined

/** What the scopes of a consent allow. The scopes of a resource, which are stored with its URI, are listed with it. */
export function describeConsent(scopes: string[]): string[] {
  const ofResources = new Map<string, string[]>()
  for (const [uri = '', scope] of scopes.map((stored) => stored.split(' '))) {
    if (scope !== undefined) ofResources.set(uri, [...(ofResources.get(uri) ?? []), scope])
  }
  const others = scopes.filter((scope) => !scope.includes(' ') && !ofResources.has(scope))
  // The scopes of sign-in come first, in a fixed order.
  const known = Object.keys(TEXTS).filter((scope) => others.includes(scope))
  const unknown = others.filter((scope) => !Object.hasOwn(TEXTS, scope)).sort()
  return [
    ...known.map((scope) => t(TEXTS[scope] ?? scope)),
    ...unknown,
    ...[...ofResources].map(([uri, granted]) => `${uri}: ${granted.sort().join(', ')}`),
  ]
}
