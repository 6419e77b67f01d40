import { randomBytes } from 'node:crypto'
import { hash } from '@node-rs/argon2'

/** Seed data of the bench: one large tenant and many small ones. */

/** One per connection, so that no request waits for a lock of another. */
export const SMALL_TENANTS = 32
/** The members of the large tenant that have a seat. */
export const PEOPLE = 1_000
/** Further members of the large tenant. They are granted seats and lose them again. */
export const APPLICANTS = 32
export const MACHINES = 50
/** The features of the license type: seven that it includes, and three that it does not. */
export const FEATURES = Array.from({ length: 10 }, (_, index) => ({
  key: `feature-${index}`,
  isIncluded: index < 7,
}))
export const CALLBACK = 'http://localhost:8080/callback'

/** Random for each run. */
export interface Secrets {
  password: string
  clientSecret: string
  encryptionKey: string
}

export const createSecrets = (): Secrets => ({
  password: randomBytes(24).toString('base64url'),
  clientSecret: randomBytes(32).toString('base64url'),
  encryptionKey: randomBytes(32).toString('base64'),
})

/** The first person owns the large tenant. */
export const OWNER = 0
export const personEmail = (index: number) => `person-${index}@bench.example`
export const applicantEmail = (index: number) => `applicant-${index}@bench.example`
export const seatHolderEmail = (index: number) => `holder-${index}@small-${index}.example`
export const machineId = (index: number) => `bench-machine-${index}`
/** One per connection, so that the limit of pushed requests is not reached. */
export const PUSHING_CLIENTS = 32
export const pushingClientId = (index: number) => `bench-pushing-${index}`
/** Its tokens are signed with ES256. */
export const es256MachineId = (index: number) => `bench-es256-${index}`
export const smallMachine = (index: number) => `bench-small-${index}`

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index)

/** The declaration for `latchkey apply`. JSON is valid YAML. */
export async function createSeed({ password, clientSecret: secret }: Secrets): Promise<string> {
  // The parameters of the service, so that the first sign-in does not rehash the password.
  const passwordHash = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
  const people = indexes(PEOPLE).map(personEmail)
  const members = [...people, ...indexes(APPLICANTS).map(applicantEmail)]
  const small = indexes(SMALL_TENANTS)
  const member = (email: string) => ({ email, role: email === personEmail(OWNER) ? 'owner' : 'member' })
  const machine = { application: 'bench', kind: 'MACHINE', secret, name: 'A machine' }
  const web = {
    application: 'bench',
    kind: 'WEB',
    name: 'Bench',
    secret,
    redirectUris: [CALLBACK],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
  }
  const pro = { application: 'bench', licenseType: 'pro' }
  const seed = {
    users: [...members, ...small.map(seatHolderEmail)].map((email) => ({
      email,
      passwordHash,
      givenName: 'Sam',
      familyName: 'Someone',
    })),
    tenants: [
      { slug: 'bench', name: 'Bench', members: members.map(member) },
      ...small.map((index) => ({
        slug: `small-${index}`,
        name: `Small ${index}`,
        members: [member(seatHolderEmail(index))],
      })),
    ],
    // Tokens must not expire during the bench.
    applications: [
      { slug: 'bench', name: 'Bench', trusted: true, licensingMode: 'PER_SEAT', accessTokenTtl: 86_400 },
      { slug: 'bench-es256', name: 'Bench with ES256', signingAlgorithm: 'ES256' },
    ],
    clients: [
      { ...web, clientId: 'bench-web' },
      ...indexes(PUSHING_CLIENTS).map((index) => ({ ...web, clientId: pushingClientId(index) })),
      { ...machine, clientId: 'bench-machine', tenant: 'bench', scopes: ['licenses:read', 'licenses:write'] },
      ...indexes(MACHINES).map((index) => ({
        ...machine,
        clientId: machineId(index),
        tenant: 'bench',
        scopes: ['licenses:read'],
      })),
      ...indexes(MACHINES).map((index) => ({
        ...machine,
        application: 'bench-es256',
        clientId: es256MachineId(index),
        tenant: 'bench',
        scopes: ['licenses:read'],
      })),
      { ...machine, clientId: 'bench-ops', scopes: ['admin'] },
      ...small.map((index) => ({
        ...machine,
        clientId: smallMachine(index),
        tenant: `small-${index}`,
        scopes: ['licenses:write'],
      })),
    ],
    licenseTypes: [
      {
        application: 'bench',
        slug: 'pro',
        name: 'Pro',
        features: Object.fromEntries(FEATURES.map(({ key, isIncluded }) => [key, isIncluded])),
      },
    ],
    subscriptions: [
      { ...pro, tenant: 'bench', quantityPurchased: PEOPLE + APPLICANTS, seats: people },
      ...small.map((index) => ({ ...pro, tenant: `small-${index}`, quantityPurchased: 5 })),
    ],
  }
  return JSON.stringify(seed, undefined, 1)
}
