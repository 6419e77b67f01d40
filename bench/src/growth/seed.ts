/** Data that exists at every size: the large tenant, its subscription, and the clients of the bench. */

export const TENANT = 'globex'
export const APPLICATION = 'project-manager'
export const WEB_CLIENT = 'growth-web'
export const REDIRECT_URI = 'http://localhost:8080/callback'
export const OWNER = { email: 'gus@globex.test', password: 'growth of a tenant 2026' }
/** The database is reachable only through its own socket. */
const SECRET = 'a-secret-of-a-measurement-and-of-nothing-else'

export const MACHINES = {
  tenant: { id: 'growth-machine', secret: SECRET },
  instance: { id: 'growth-operations', secret: SECRET },
}

/** The declaration for `latchkey apply`. JSON is valid YAML. */
export const createSeed = (size: number): string =>
  JSON.stringify({
    users: [{ ...OWNER, givenName: 'Gus', familyName: 'Owner' }],
    tenants: [{ slug: TENANT, name: 'Globex', members: [{ email: OWNER.email, role: 'owner' }] }],
    applications: [{ slug: APPLICATION, name: 'Project Manager', licensingMode: 'PER_SEAT' }],
    clients: [
      {
        clientId: WEB_CLIENT,
        application: APPLICATION,
        kind: 'WEB',
        name: 'Web',
        secret: SECRET,
        redirectUris: [REDIRECT_URI],
      },
      {
        clientId: MACHINES.tenant.id,
        application: APPLICATION,
        kind: 'MACHINE',
        name: 'Back office',
        secret: SECRET,
        tenant: TENANT,
        scopes: ['licenses:read', 'licenses:write'],
      },
      {
        clientId: MACHINES.instance.id,
        application: APPLICATION,
        kind: 'MACHINE',
        name: 'Operations',
        secret: SECRET,
        scopes: ['admin'],
      },
    ],
    licenseTypes: [{ application: APPLICATION, slug: 'pro', name: 'Pro', features: { projects: true, reports: true } }],
    subscriptions: [{ tenant: TENANT, application: APPLICATION, licenseType: 'pro', quantityPurchased: 2 * size }],
  })

export const basic = ({ id, secret }: { id: string; secret: string }): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

export const WEB = { id: WEB_CLIENT, secret: SECRET }
