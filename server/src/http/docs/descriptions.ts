import type { CallerKind } from '../routing/callers.ts'
import type { Route } from '../routing/define-route.ts'

/** The sections of the API reference. */
export const TAGS: Record<string, string> = {
  'OAuth and OpenID Connect': 'Tokens, keys and claims, for the OAuth and OpenID Connect libraries of applications.',
  'Sign-in': 'Sign-in, registration and password reset, for user interfaces that do not use the hosted pages.',
  'My account': 'The profile, sessions, consents and credentials of the person who calls.',
  'Account: second factors': 'Authenticator apps, passkeys and recovery codes of the person who calls.',
  Tenants: 'The tenants of the person who calls, with their members, branding and audit events.',
  Invitations: 'Invitations of people to a tenant.',
  Licenses: 'License checks and seats of one tenant, for applications and their back ends.',
  Licensing: 'License types, subscriptions and the ledger, for operators and billing systems.',
  Events: 'The feed of everything that happens, in order.',
  Webhooks: 'Webhooks of the instance and of a tenant, with their deliveries.',
  Administration: 'Users, tenants, applications, clients, keys and the audit log of the whole instance.',
  Operation: 'Health checks.',
  Demo: 'Routes that exist only in the demo.',
}

const CALLERS: Record<CallerKind, string> = {
  anyone: 'No authentication is needed.',
  visitor: 'Authentication is optional.',
  person: 'For a person, with the session cookie or an access token of a trusted application.',
  member: 'For a member of the tenant, with the session cookie or an access token of a trusted application.',
  'license-reader':
    'For an access token with a tenant: of a person, or of a machine client with the scope `licenses:read` or ' +
    '`licenses:write`.',
  'license-writer':
    'For an access token with a tenant: of an owner or admin from a trusted application, or of a machine client with ' +
    'the scope `licenses:write`.',
  administrator:
    'For a Super Admin with an access token of a trusted application, or a machine client with the scope `admin`.',
  auditor: 'For a Super Admin with an access token of a trusted application, or a machine client.',
  'event-reader':
    'For a Super Admin, a machine client with the scope `admin`, an owner or admin of the tenant of the token, or a ' +
    'machine client with the scope `events:read`.',
}

const OAUTH_CALLERS: Record<NonNullable<Route['authenticatedBy']>, string> = {
  token: 'For an access token with the scope `openid`.',
  client: 'For a client with a secret, by HTTP Basic authentication.',
  'client-or-form':
    'For a client: its secret by HTTP Basic authentication or in the form, or a public client by its id.',
  registration: 'For the client, with its registration access token.',
  'registration-or-none':
    'For a client with a registration token of an operator. Where registration is open, no token is needed.',
}

/** Who may call the route, and what repeated requests do. */
export function describeUse({ caller, roles, authenticatedBy, idempotent, admission }: Route): string {
  return [
    authenticatedBy ? OAUTH_CALLERS[authenticatedBy] : CALLERS[caller],
    roles.length > 0 && roles.length < 3 ? `Needs the role ${roles.map((role) => `\`${role}\``).join(' or ')}.` : '',
    idempotent ? 'A repetition with the same `Idempotency-Key` gets the first response and changes nothing.' : '',
    admission ? 'Concurrent requests are limited; excess requests get 429 or 503 with `Retry-After`.' : '',
  ]
    .filter(Boolean)
    .join(' ')
}
