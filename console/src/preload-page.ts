const loadTenant = () => import('./areas/tenant/area.tsx')
const loadInstance = () => import('./areas/instance/area.tsx')

/** The chunks of the pages that are opened most. The others are loaded on demand only. */
const PAGES: [path: RegExp, ...loaders: (() => Promise<unknown>)[]][] = [
  [/^\/console\/t\/[^/]+\/members/, loadTenant, () => import('./areas/tenant/members/members.tsx')],
  [/^\/console\/t\/[^/]+\/invitations/, loadTenant, () => import('./areas/tenant/invitations/invitations.tsx')],
  [/^\/console\/t\/[^/]+\/licenses/, loadTenant, () => import('./areas/licenses/area.tsx')],
  [/^\/console\/t\/[^/]+\/settings/, loadTenant, () => import('./areas/tenant/settings/settings.tsx')],
  [/^\/console\/t\//, loadTenant],
  [/^\/console\/account/, () => import('./areas/account/area.tsx')],
  [/^\/console\/instance\/?$/, loadInstance, () => import('./areas/instance/home/home.tsx')],
  [/^\/console\/instance\/users\/?$/, loadInstance, () => import('./areas/instance/users/users.tsx')],
  [/^\/console\/instance\/tenants\/?$/, loadInstance, () => import('./areas/instance/tenants/tenants.tsx')],
  [/^\/console\/instance/, loadInstance],
]

/** Starts to load the chunks of a page. An error shows when the page itself asks for them. */
export function preloadPage(path: string): void {
  const [, ...loaders] = PAGES.find(([pattern]) => pattern.test(path)) ?? []
  for (const load of loaders) if (typeof load === 'function') load().catch(() => {})
}
