/** What the scopes of a sign-in allow an application. */
const SCOPES: Record<string, string> = {
  openid: 'Know who you are',
  profile: 'See your name, picture, gender, date of birth, website, language and time zone',
  email: 'See your email address',
  offline_access: 'Stay signed in while you are away',
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
  title: 'Third-party applications',
  allowed: 'Allowed',
  lastUsed: 'Last used',
  unused: 'Not in use',
  withdraw: 'Withdraw',
  withdrawTitle: 'Withdraw the access?',
}

const toPlace = (application: string, tenant: string | null) =>
  tenant === null ? application : `${application} in ${tenant}`

/** The consents of the signed-in person. */
export const ownConsents = {
  ...common,
  lead: 'Applications that you allowed to use your account. If you withdraw the access, it ends at once.',
  empty: 'You have given no application access',
  emptyText: 'A third-party application asks you before it reads anything. Those that you allow appear here.',
  withdrawLabel: (application: string, tenant: string | null) =>
    `Withdraw the access of ${toPlace(application, tenant)}`,
  withdrawText: (application: string, tenant: string | null) =>
    `The access of ${toPlace(application, tenant)} ends at once. It asks you again next time.`,
  withdrawn: (application: string, tenant: string | null) =>
    `The access of ${toPlace(application, tenant)} was withdrawn.`,
}

/** The consents of somebody, for an operator. */
export const userConsents = {
  ...common,
  lead: 'Applications that this person allowed to use the account. If you withdraw the access, it ends at once.',
  empty: 'No application has access',
  emptyText: 'Third-party applications that this person allows appear here. Trusted ones need no consent.',
  withdrawLabel: ownConsents.withdrawLabel,
  withdrawText: (application: string, tenant: string | null) =>
    `The access of ${toPlace(application, tenant)} ends at once. It asks the person again next time.`,
  withdrawn: ownConsents.withdrawn,
}
