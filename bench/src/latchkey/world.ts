import { randomBytes } from 'node:crypto'
import { hash } from '@node-rs/argon2'

/** The world that the service is measured in: a tenant of some size, and many small ones. */

/** As many as there are connections, so that nobody has to wait for another's tenant or account. */
export const SMALL_TENANTS = 32
/** Half of them hold a seat of the large tenant. */
export const PEOPLE = 64
export const CALLBACK = 'http://localhost:8080/callback'

/** What opens the world: all secrets are made anew for each. */
export interface Keys {
  password: string
  clientSecret: string
  encryptionKey: string
}

export const newKeys = (): Keys => ({
  password: randomBytes(24).toString('base64url'),
  clientSecret: randomBytes(32).toString('base64url'),
  encryptionKey: randomBytes(32).toString('base64'),
})

/** The first person owns the large tenant. */
export const OWNER = 0
export const personEmail = (index: number) => `person-${index}@bench.example`
export const seatHolderEmail = (index: number) => `holder-${index}@small-${index}.example`
export const smallMachine = (index: number) => `bench-small-${index}`

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

/** A declaration for `latchkey apply`. Every JSON is YAML. */
export async function declareWorld({ password, clientSecret: secret }: Keys): Promise<string> {
  // As the service makes them itself, so that the first sign-in has nothing to mend.
  const passwordHash = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
  const people = numbers(PEOPLE).map(personEmail)
  const small = numbers(SMALL_TENANTS)
  const member = (email: string) => ({ email, role: email === personEmail(OWNER) ? 'owner' : 'member' })
  const machine = { application: 'bench', kind: 'MACHINE', secret, name: 'A machine' }
  const pro = { application: 'bench', licenseType: 'pro' }
  const world = {
    users: [...people, ...small.map(seatHolderEmail)].map((email) => ({
      ...{ email, passwordHash, givenName: 'Sam', familyName: 'Someone' },
    })),
    tenants: [
      { slug: 'bench', name: 'Bench', members: people.map(member) },
      ...small.map((index) => ({
        ...{ slug: `small-${index}`, name: `Small ${index}`, members: [member(seatHolderEmail(index))] },
      })),
    ],
    // A token must outlive the bench.
    applications: [
      { slug: 'bench', name: 'Bench', trusted: true, licensingMode: 'PER_SEAT', accessTokenTtl: 86_400 },
    ],
    clients: [
      {
        ...{ clientId: 'bench-web', application: 'bench', kind: 'WEB', name: 'Bench', secret },
        ...{ redirectUris: [CALLBACK], scopes: ['openid', 'profile', 'email', 'offline_access'] },
      },
      { ...machine, clientId: 'bench-machine', tenant: 'bench', scopes: ['licenses:read', 'licenses:write'] },
      { ...machine, clientId: 'bench-ops', scopes: ['admin'] },
      ...small.map((index) => ({
        ...{
          ...machine,
          clientId: smallMachine(index),
          tenant: `small-${index}`,
          scopes: ['licenses:write'],
        },
      })),
    ],
    licenseTypes: [
      {
        application: 'bench',
        slug: 'pro',
        name: 'Pro',
        features: { reports: true, export: true, audit: false },
      },
    ],
    subscriptions: [
      { ...pro, tenant: 'bench', quantityPurchased: 1_000, seats: people.slice(0, PEOPLE / 2) },
      ...small.map((index) => ({ ...pro, tenant: `small-${index}`, quantityPurchased: 5 })),
    ],
  }
  return JSON.stringify(world, undefined, 1)
}
