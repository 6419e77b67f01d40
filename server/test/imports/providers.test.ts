import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { applyChanges, planChanges } from '../../src/declaration/apply.ts'
import { readAuth0 } from '../../src/imports/providers/auth0.ts'
import { readClerk } from '../../src/imports/providers/clerk.ts'
import { readCognito } from '../../src/imports/providers/cognito.ts'
import { readFirebase } from '../../src/imports/providers/firebase.ts'
import { readOkta } from '../../src/imports/providers/okta.ts'
import { startService, type TestService } from '../support/service.ts'
import {
  dumpState,
  expectSecondFactor,
  expectSignIn,
  fixture,
  listMemberships,
  listTenants,
  reasonsOf,
  runMigration,
  type TestOptions,
  writeExport,
} from './migrations.ts'
import { findUser } from './rows.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  const tenants = ['lakeside', 'staff'].map((slug) => ({ slug, name: `The ${slug}` }))
  await applyChanges(service.ctx, await planChanges(service.ctx, sections, { tenants }))
})
afterAll(() => service.close())

const UNSALTED = 'the password is left out: its hash is unsalted or has an algorithm that is not accepted here'
const NO_ADDRESS = 'the user has no email address'
const NOBODY = 'has neither a verified address nor a passwordHash: nobody could sign in'

/** Runs an import, and again to see that the second run changes nothing. */
async function runTwice(read: Parameters<typeof runMigration>[1], options: TestOptions = {}) {
  const first = await runMigration(service, read, options)
  const before = await dumpState(service)
  const second = await runMigration(service, read, options)
  expect(second.users).toEqual({
    imported: 0,
    updated: 0,
    skipped: first.users.imported + first.users.skipped,
    failed: first.users.failed,
  })
  expect(await dumpState(service)).toEqual(before)
  return first
}

describe('Auth0', () => {
  const options = {
    paths: [fixture('auth0-users.ndjson')],
    passwords: fixture('auth0-passwords.ndjson'),
    organizations: fixture('auth0-organizations.ndjson'),
    assumeVerified: false,
  }

  test('users, password hashes, organizations and second factors are imported once', async () => {
    const roles = new Map([['Organization Admin', 'owner']] as const)
    const result = await runTwice((files) => readAuth0(files, options), { mappings: { roles } })
    expect(result).toMatchObject({
      tenants: { imported: 2, existing: 0, failed: 1 },
      users: { imported: 9, failed: 1 },
      tenantsWithoutOwner: ['south-wind'],
      unmapped: [],
    })
    expect(result.problems.map(({ place }) => place)).toEqual([
      'auth0-organizations.ndjson, line 3',
      'auth0-users.ndjson, line 10',
    ])
    expect(reasonsOf(result.problems)).toContainEqual([undefined, NO_ADDRESS])
    expect(reasonsOf(result.losses)).toEqual([
      ['bcrypt@auth0.test', 'the second factors by phone are left out'],
      ['md5@auth0.test', UNSALTED],
      ['unverified@auth0.test', 'is not a member of northwind: the address must be verified first'],
      ['factor@auth0.test', 'the second factor is left out: the files do not contain its secret'],
    ])
    expect(await listMemberships(service, 'bcrypt@auth0.test')).toEqual(['northwind owner', 'south-wind member'])
    expect(await listMemberships(service, 'argon@auth0.test')).toEqual(['northwind member'])
    const bea = { given_name: 'Bea', display_name: 'Bea Crypt', nickname: 'bcrypt' }
    expect(await findUser(service.ctx, 'bcrypt@auth0.test')).toMatchObject(bea)
    expect(await findUser(service.ctx, 'argon@auth0.test')).toMatchObject({ display_name: null })
    expect(await findUser(service.ctx, 'md5@auth0.test')).toMatchObject({ disabled: true, password_hash: null })
    expect(await findUser(service.ctx, 'social@auth0.test')).toMatchObject({ email_verified: true })
    expect(await findUser(service.ctx, 'unverified@auth0.test')).toMatchObject({ email_verified: false })
  })

  test.each(['argon', 'pbkdf', 'scrypt', 'sha', 'unverified'])(
    'the old password of %s@auth0.test works',
    async (name) => {
      await expectSignIn(service, `${name}@auth0.test`)
    },
  )

  test('the old authenticator app is asked for after the old password', async () => {
    await expectSecondFactor(service, { email: 'bcrypt@auth0.test', secret: 'JBTWY3DPEHPK3PNPJBTWY3DPEHPK3PNP' })
  })

  test('a user of a provider does not get the password of an unverified account with the same address', async () => {
    const line = (values: object) => `${JSON.stringify(values)}\n`
    const hash = `$2b$10$${'C'.repeat(53)}`
    const people = ['verified', 'unverified']
    const users = writeExport(
      'social.ndjson',
      people
        .map((name) => line({ user_id: `google|${name}`, email: `${name}@social.test`, email_verified: true }))
        .join(''),
    )
    const passwords = writeExport(
      'social-passwords.ndjson',
      people
        .map((name) =>
          line({
            _id: { $oid: name },
            email: `${name}@social.test`,
            email_verified: name === 'verified',
            passwordHash: hash,
          }),
        )
        .join(''),
    )
    const read = { paths: [users], passwords, organizations: undefined, assumeVerified: false }
    await runMigration(service, (files) => readAuth0(files, read))
    expect(await findUser(service.ctx, 'verified@social.test')).toMatchObject({ password_hash: hash })
    expect(await findUser(service.ctx, 'unverified@social.test')).toMatchObject({ password_hash: null })
  })
})

describe('Clerk', () => {
  const options = {
    paths: [fixture('clerk-users.csv'), fixture('clerk-users.json')],
    organizations: fixture('clerk-organizations.json'),
    memberships: fixture('clerk-memberships.json'),
    assumeVerified: false,
  }

  test('users of CSV and JSON files, organizations and memberships are imported once', async () => {
    const roles = new Map([
      ['org:admin', 'admin'],
      ['org:member', 'member'],
    ] as const)
    const result = await runTwice((files) => readClerk(files, options), { mappings: { roles } })
    expect(result).toMatchObject({
      tenants: { imported: 3, existing: 0, failed: 0 },
      users: { imported: 8, failed: 1 },
      unmapped: [['org:billing', 1]],
    })
    expect(reasonsOf(result.problems)).toEqual([[undefined, NO_ADDRESS]])
    expect(reasonsOf(result.losses)).toEqual([
      ['bcrypt@clerk.test', '1 more addresses are left out: a user has one here'],
      ['md5@clerk.test', expect.stringMatching(/^the password is left out: it is of no known form/)],
      ['api@clerk.test', '1 more addresses are left out: a user has one here'],
      ['api@clerk.test', 'the second factor is left out: the file does not contain its secret'],
      ['support@clerk.test', '1 more addresses are left out: a user has one here'],
    ])
    expect(await listMemberships(service, 'bcrypt@clerk.test')).toEqual(['east admin', 'west-1700000000 member'])
    expect(await listMemberships(service, 'pbkdf@clerk.test')).toEqual(['east member'])
    expect(await listTenants(service)).toContainEqual({
      slug: 'nobody-there',
      name: 'Nobody There',
      suspended_at: null,
    })
    expect(await findUser(service.ctx, 'pbkdf@clerk.test')).toMatchObject({ given_name: 'Paul', phone: '+4930123457' })
    expect(await findUser(service.ctx, 'api@clerk.test')).toMatchObject({ disabled: true, picture_url: null })
  })

  test.each(['pbkdf', 'django', 'sha1', 'firebase', 'support'])(
    'the old password of %s@clerk.test works',
    async (name) => {
      await expectSignIn(service, `${name}@clerk.test`)
    },
  )

  test('the old authenticator app is asked for after the old password', async () => {
    await expectSecondFactor(service, { email: 'bcrypt@clerk.test', secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' })
  })
})

describe('Firebase', () => {
  const options = {
    paths: [fixture('firebase-users.json'), fixture('firebase-users.csv')],
    hashConfig: fixture('firebase-hash-config.txt'),
    tenantClaim: 'org',
    roleClaim: 'role',
    assumeVerified: false,
  }

  test('users of JSON and CSV files with custom claims are imported once', async () => {
    const roles = new Map([['owner', 'owner']] as const)
    const result = await runTwice((files) => readFirebase(files, options), { mappings: { roles } })
    expect(result.users).toMatchObject({ imported: 4, failed: 2 })
    expect(reasonsOf(result.problems)).toEqual([
      [undefined, NO_ADDRESS],
      ['plain@firebase.test', NOBODY],
    ])
    expect(reasonsOf(result.losses)).toEqual([['scrypt@firebase.test', 'the custom claims plan are left out']])
    expect(await listMemberships(service, 'scrypt@firebase.test')).toEqual(['lakeside owner'])
    expect(await listMemberships(service, 'csv@firebase.test')).toEqual(['lakeside member'])
    expect(await findUser(service.ctx, 'csv@firebase.test')).toMatchObject({ display_name: 'Base, Cas' })
    expect(await findUser(service.ctx, 'off@firebase.test')).toMatchObject({ disabled: true })
  })

  test('the stored hash does not contain the key of the project', async () => {
    const { password_hash } = (await findUser(service.ctx, 'scrypt@firebase.test')) ?? {}
    expect(password_hash).toMatch(/^\$firebase-scrypt\$ln=14,r=8,p=1\$[\w+/]+\$[\w+/]+$/)
  })

  test.each(['scrypt', 'csv'])('the old password of %s@firebase.test works', async (name) => {
    await expectSignIn(service, `${name}@firebase.test`)
  })

  test('without the hash parameters, users are imported without a password', async () => {
    const file = writeExport('no-config.json', {
      users: [{ email: 'late@firebase.test', emailVerified: true, passwordHash: 'AAAA', salt: 'AAAA' }],
    })
    const read = { ...options, paths: [file], hashConfig: undefined }
    const { losses } = await runMigration(service, (files) => readFirebase(files, read))
    expect(reasonsOf(losses)).toEqual([
      ['late@firebase.test', expect.stringContaining('name the file of the password hash parameters')],
    ])
  })

  test('a file that is not the hash parameters is refused without quoting it', async () => {
    const hashConfig = writeExport('config.txt', 'hash_config {\n algorithm: SCRYPT,\n base64_signer_key: a secret\n}')
    const run = runMigration(service, (files) => readFirebase(files, { ...options, hashConfig }))
    await expect(run).rejects.toThrow(
      /config\.txt: base64_salt_separator is missing or not valid\. Copy the whole text/,
    )
  })
})

describe('Cognito', () => {
  test('users of JSON and CSV files with their groups are imported once, without passwords', async () => {
    const options = {
      paths: [fixture('cognito-users.json'), fixture('cognito-users.csv')],
      groups: fixture('cognito-groups.ndjson'),
      assumeVerified: false,
    }
    const mappings = {
      groups: new Map([['staff', 'staff']]),
      roles: new Map([['managers', 'admin']] as const),
      tenant: 'lakeside',
    }
    const result = await runTwice((files) => readCognito(files, options), { mappings })
    expect(result).toMatchObject({ users: { imported: 3, failed: 1 }, unmapped: [] })
    expect(reasonsOf(result.problems)).toEqual([['unconfirmed@cognito.test', NOBODY]])
    expect(reasonsOf(result.losses)).toEqual([
      ['csv@cognito.test', 'the second factor is left out: Cognito does not export its secret'],
    ])
    expect(await listMemberships(service, 'first@cognito.test')).toEqual(['staff admin'])
    expect(await listMemberships(service, 'off@cognito.test')).toEqual(['staff member'])
    expect(await listMemberships(service, 'csv@cognito.test')).toEqual(['lakeside member'])
    const cora = { given_name: 'Cora', locale: 'de-DE', email_verified: true, password_hash: null }
    expect(await findUser(service.ctx, 'first@cognito.test')).toMatchObject(cora)
    expect(await findUser(service.ctx, 'off@cognito.test')).toMatchObject({ disabled: true })
    expect(await findUser(service.ctx, 'csv@cognito.test')).toMatchObject({ zoneinfo: 'Europe/Berlin' })
  })
})

describe('Okta', () => {
  test('users with their hashes and groups are imported once', async () => {
    const options = {
      paths: [fixture('okta-users.json')],
      groups: fixture('okta-groups.ndjson'),
      assumeVerified: false,
    }
    const mappings = { groups: new Map([['Operations', 'staff']]) }
    const result = await runTwice((files) => readOkta(files, options), { mappings })
    expect(result).toMatchObject({ users: { imported: 7, failed: 0 }, unmapped: [] })
    expect(reasonsOf(result.losses)).toEqual([
      ['md5@okta.test', UNSALTED],
      ['sha1@okta.test', UNSALTED],
    ])
    expect(await listMemberships(service, 'bcrypt@okta.test')).toEqual(['staff member'])
    const olga = { given_name: 'Olga', locale: 'en-US', zoneinfo: 'America/Los_Angeles', phone: '+1 415 555 0100' }
    expect(await findUser(service.ctx, 'bcrypt@okta.test')).toMatchObject(olga)
    expect(await findUser(service.ctx, 'gone@okta.test')).toMatchObject({ disabled: true })
  })

  test.each(['bcrypt', 'sha512', 'sha256', 'pbkdf2'])('the old password of %s@okta.test works', async (name) => {
    await expectSignIn(service, `${name}@okta.test`)
  })
})

test('a tenant that the operator names must exist', async () => {
  const read = { paths: [fixture('okta-users.json')], groups: undefined, assumeVerified: false }
  const run = runMigration(service, (files) => readOkta(files, read), { mappings: { tenant: 'no-such' } })
  await expect(run).rejects.toThrow('There is no tenant no-such. Create it first.')
})
