import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { callAdmin } from '../support/admin.ts'
import { call, errorBody } from '../support/calls.ts'
import { getOperatorHeaders, type Headers, LICENSES, LICENSING, newTenantWithSeats } from '../support/licensing.ts'
import { encodeFields } from '../support/service.ts'

const { application, tenant, owner, pro } = await newTenantWithSeats()
const ops = await getOperatorHeaders()
const { slug } = (await callAdmin<{ slug: string }>('GET', `/applications/${application}`)).body

interface RouteCase {
  route: string
  headers: Headers
  toRequest(applicationId: string | undefined): [method: string, path: string, body?: object]
}

const query = (path: string, fields: object): RouteCase['toRequest'] => {
  return (applicationId) => ['GET', `${path}?${encodeFields({ ...fields, applicationId })}`]
}
const body = (path: string, fields: object): RouteCase['toRequest'] => {
  return (applicationId) => ['POST', path, { ...fields, applicationId }]
}

const licenseQuery = { userId: owner.userId, featureKey: 'reports', licenseTypeId: pro.id }
const type = { name: 'Pro', slug: 'pro' }
const FIELD_ROUTES: RouteCase[] = [
  ...['check', 'feature', 'type', 'explain'].map((route) => ({
    route: `GET ${route}`,
    headers: owner.tenantHeaders,
    toRequest: query(`${LICENSES}/${route}`, licenseQuery),
  })),
  ...['check', 'feature', 'grant', 'change', 'revoke'].map((route) => ({
    route: `POST ${route}`,
    headers: owner.tenantHeaders,
    toRequest: body(`${LICENSES}/${route}`, licenseQuery),
  })),
  { route: 'GET license-types', headers: ops, toRequest: query(`${LICENSING}/license-types`, {}) },
  { route: 'POST license-types', headers: ops, toRequest: body(`${LICENSING}/license-types`, type) },
]

const tenantLicenses = `/api/tenants/${tenant.id}/licenses`
const PATH_ROUTES: RouteCase[] = [
  ...['users', 'count'].map((list) => ({
    route: `GET apps/:applicationId/${list}`,
    headers: owner.tenantHeaders,
    toRequest: (id: string | undefined): [string, string] => ['GET', `${LICENSES}/apps/${id}/${list}`],
  })),
  ...['seats', 'usage'].map((list) => ({
    route: `GET licenses/:applicationId/${list}`,
    headers: owner.headers,
    toRequest: (id: string | undefined): [string, string] => ['GET', `${tenantLicenses}/${id}/${list}`],
  })),
]

async function getError({ headers, toRequest }: RouteCase, applicationId: string | undefined): Promise<string> {
  const [method, path, sent] = toRequest(applicationId)
  const response = await call<{ message: string }>(method, path, { headers, body: sent })
  expect(response.body).toEqual(errorBody(400, 'INVALID_APPLICATION_ID'))
  return response.body.message
}

describe.each(FIELD_ROUTES)('T146: $route', (routeCase) => {
  test('reports a missing applicationId', async () => {
    for (const none of [undefined, '']) expect(await getError(routeCase, none)).toMatch(/applicationId is missing/)
  })
})

describe.each([...FIELD_ROUTES, ...PATH_ROUTES])('T146: $route', (routeCase) => {
  test('reports that a slug is not an id', async () => {
    for (const id of [slug, '7', `${application}x`]) {
      expect(await getError(routeCase, id)).toMatch(/must be the id of an application, .*not its slug/)
    }
  })

  test('reports an unknown application', async () => {
    for (const unknown of [randomUUID(), tenant.id]) {
      expect(await getError(routeCase, unknown)).toMatch(/no application with this applicationId/)
    }
  })
})

test('T146: a bulk row has the same errors, and does not affect other rows', async () => {
  const rows = [undefined, slug, randomUUID()].map((applicationId) => ({ ...licenseQuery, applicationId }))
  for (const [path, sent] of [
    ['grant', { grants: rows }],
    ['revoke', { revocations: rows }],
  ] as const) {
    const response = await call<{ results: { error: string; message: string }[] }>('POST', `${LICENSES}/${path}/bulk`, {
      headers: owner.tenantHeaders,
      body: sent,
    })
    expect(response.status).toBe(200)
    expect(response.body.results.map(({ error }) => error)).toEqual(rows.map(() => 'INVALID_APPLICATION_ID'))
    expect(response.body.results.map(({ message }) => message)).toEqual([
      expect.stringContaining('is missing'),
      expect.stringContaining('not its slug'),
      expect.stringContaining('no application'),
    ])
  }
})
