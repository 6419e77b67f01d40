import { beforeAll, describe, expect, test } from 'vitest'
import { asPerson, call } from '../support/calls.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import {
  callLicensing,
  getLicense,
  type Headers,
  LICENSES,
  LICENSING,
  type LicenseType,
  listSubscriptions,
  readLicenseHolders,
  readOverview,
  UNLICENSED,
} from '../support/licensing.ts'
import { bearer, getTokens, requestMachineToken } from '../support/oauth.ts'
import { demoPerson } from '../support/person.ts'
import { TIMESTAMP } from '../support/sign-in.ts'

const SPA = { clientId: 'demo-spa' }
const MACHINE = { clientId: 'demo-machine', clientSecret: 'demo-machine-secret' }
const FEATURES = {
  free: ['projects'],
  pro: ['export', 'projects', 'reports'],
  enterprise: ['audit', 'export', 'projects', 'reports', 'sso'],
}

let machine: Headers
let application: string
let acme: string
let mia: string

beforeAll(async () => {
  const { access_token } = (await requestMachineToken(MACHINE)).body
  machine = bearer(access_token)
  const { access_token: hers } = await getTokens(await demoPerson('mia@acme.test').signIn(), SPA)
  const claims = await verifyAccessToken(hers)
  application = String(claims.aud)
  acme = String(claims.tenant_id)
  mia = String(claims.sub)
})

describe('the demo data', () => {
  test('has three license types', async () => {
    const { body } = await callLicensing<LicenseType[]>('GET', `/license-types?applicationId=${application}`)
    expect(body.map(({ slug }) => slug)).toEqual(['free', 'pro', 'enterprise'])
    for (const [slug, features] of Object.entries(FEATURES)) {
      const type = body.find((one) => one.slug === slug)
      expect(Object.keys(type?.features ?? {}).sort()).toEqual(features)
      expect(type).toMatchObject({ status: 'ACTIVE', applicationId: application })
    }
  })

  test('has five seats of pro and one of enterprise at Acme, and none at Globex', async () => {
    const overview = await readOverview(acme)
    expect(overview).toMatchObject({ tenantId: acme, tenantName: 'Acme' })
    const bought = overview.subscriptions.filter(({ applicationId }) => applicationId === application)
    expect(bought).toMatchObject([
      { applicationName: 'Project Manager', licenseTypeName: 'Pro', quantityPurchased: 5, status: 'ACTIVE' },
      {
        applicationName: 'Project Manager',
        licenseTypeName: 'Enterprise',
        quantityPurchased: 1,
        status: 'ACTIVE',
      },
    ])
    for (const { quantityAssigned, quantityAvailable, quantityPurchased } of bought) {
      expect(quantityAssigned + quantityAvailable).toBe(quantityPurchased)
    }
    expect((await listSubscriptions(acme)).map(({ licenseTypeSlug }) => licenseTypeSlug)).toEqual(['pro', 'enterprise'])
    const { access_token } = await getTokens(await demoPerson('gus@globex.test').signIn(), SPA)
    const { tenant_id } = await verifyAccessToken(access_token)
    expect(await listSubscriptions(String(tenant_id))).toEqual([])
  })

  test('has a license for Mia, in every response and in her token', async () => {
    const licenseQuery = { userId: mia, applicationId: application }
    const licensed = {
      hasLicense: true,
      licenseType: 'pro',
      licenseTypeName: 'Pro',
      features: FEATURES.pro,
      assignedAt: expect.stringMatching(TIMESTAMP),
    }
    expect((await getLicense(machine, 'check', licenseQuery)).body).toEqual(licensed)
    const hers = await asPerson(demoPerson('mia@acme.test'), SPA)
    expect((await getLicense(hers, 'check', { applicationId: application })).body).toEqual(licensed)
    const token = hers.authorization?.slice('Bearer '.length) ?? ''
    expect(await verifyAccessToken(token)).toMatchObject({
      license: { type: 'pro', name: 'Pro', features: FEATURES.pro },
    })
    const { users, count } = await readLicenseHolders(machine, application)
    expect(users).toContainEqual({
      userId: mia,
      email: 'mia@acme.test',
      givenName: 'Mia',
      familyName: 'Member',
      licenseType: 'pro',
      licenseTypeName: 'Pro',
      assignedAt: expect.stringMatching(TIMESTAMP),
    })
    expect(count).toBe(users.length)
  })

  test.each(['max@acme.test', 'olivia@acme.test', 'adam@acme.test', 'gus@globex.test'])(
    'has %s without a license',
    async (email) => {
      const headers = await asPerson(demoPerson(email), SPA)
      expect((await getLicense(headers, 'check', { applicationId: application })).body).toEqual(UNLICENSED)
      const token = headers.authorization?.slice('Bearer '.length) ?? ''
      expect(await verifyAccessToken(token)).not.toHaveProperty('license')
    },
  )

  test('has a machine that reads and writes licenses of Acme, but cannot create subscriptions', async () => {
    const { scope } = (await requestMachineToken(MACHINE)).body
    expect(scope.split(' ').sort()).toEqual(['licenses:read', 'licenses:write'])
    const path = `${LICENSING}/tenants/${acme}`
    expect((await call('GET', `${path}/license-overview`, { headers: machine })).status).toBe(200)
    const body = { licenseTypeId: 'x', quantityPurchased: 1 }
    expect((await call('POST', `${path}/subscriptions`, { headers: machine, body })).status).toBe(403)
    // The request is authorized; the license type is refused.
    const seatRequest = { userId: mia, applicationId: application, licenseTypeId: 'x' }
    expect((await call('POST', `${LICENSES}/grant`, { headers: machine, body: seatRequest })).status).toBe(404)
  })
})
