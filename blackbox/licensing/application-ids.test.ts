import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { admin } from '../support/admin.ts'
import { call, refusal } from '../support/calls.ts'
import { asOps, type Headers, LICENSES, LICENSING, newSeats } from '../support/licensing.ts'
import { encode } from '../support/service.ts'

const { application, tenant, owner, pro } = await newSeats()
const ops = await asOps()
const { slug } = (await admin<{ slug: string }>('GET', `/applications/${application}`)).body

interface Asked {
  route: string
  headers: Headers
  ask(applicationId: string | undefined): [method: string, path: string, body?: object]
}

const query = (path: string, fields: object): Asked['ask'] => {
  return (applicationId) => ['GET', `${path}?${encode({ ...fields, applicationId })}`]
}
const body = (path: string, fields: object): Asked['ask'] => {
  return (applicationId) => ['POST', path, { ...fields, applicationId }]
}

const about = { userId: owner.userId, featureKey: 'reports', licenseTypeId: pro.id }
const type = { name: 'Pro', slug: 'pro' }
const NAMED: Asked[] = [
  ...['check', 'feature', 'type', 'explain'].map((route) => ({
    ...{ route: `GET ${route}`, headers: owner.inside, ask: query(`${LICENSES}/${route}`, about) },
  })),
  ...['check', 'feature', 'grant', 'change', 'revoke'].map((route) => ({
    ...{ route: `POST ${route}`, headers: owner.inside, ask: body(`${LICENSES}/${route}`, about) },
  })),
  { route: 'GET license-types', headers: ops, ask: query(`${LICENSING}/license-types`, {}) },
  { route: 'POST license-types', headers: ops, ask: body(`${LICENSING}/license-types`, type) },
]

const ofTenant = `/api/tenants/${tenant.id}/licenses`
const IN_PATH: Asked[] = [
  ...['users', 'count'].map((list) => ({
    route: `GET apps/:applicationId/${list}`,
    headers: owner.inside,
    ask: (id: string | undefined): [string, string] => ['GET', `${LICENSES}/apps/${id}/${list}`],
  })),
  ...['seats', 'usage'].map((list) => ({
    route: `GET licenses/:applicationId/${list}`,
    headers: owner.headers,
    ask: (id: string | undefined): [string, string] => ['GET', `${ofTenant}/${id}/${list}`],
  })),
]

async function refuse({ headers, ask }: Asked, applicationId: string | undefined): Promise<string> {
  const [method, path, sent] = ask(applicationId)
  const answer = await call<{ message: string }>(method, path, { headers, body: sent })
  expect(answer.body).toEqual(refusal(400, 'INVALID_APPLICATION_ID'))
  return answer.body.message
}

describe.each(NAMED)('T146: $route', (asked) => {
  test('says that an applicationId is missing', async () => {
    for (const none of [undefined, '']) expect(await refuse(asked, none)).toMatch(/applicationId is missing/)
  })
})

describe.each([...NAMED, ...IN_PATH])('T146: $route', (asked) => {
  test('says that an id is wanted where a slug stands', async () => {
    for (const named of [slug, '7', `${application}x`]) {
      expect(await refuse(asked, named)).toMatch(/must be the id of an application, .*not its slug/)
    }
  })

  test('says that there is no such application where the id is nobody’s', async () => {
    for (const unknown of [randomUUID(), tenant.id]) {
      expect(await refuse(asked, unknown)).toMatch(/no application with this applicationId/)
    }
  })
})

test('T146: a row of many is told the same, and holds up no other', async () => {
  const rows = [undefined, slug, randomUUID()].map((applicationId) => ({ ...about, applicationId }))
  for (const [path, sent] of [
    ['grant', { grants: rows }],
    ['revoke', { revocations: rows }],
  ] as const) {
    const answer = await call<{ results: { error: string; message: string }[] }>(
      'POST',
      `${LICENSES}/${path}/bulk`,
      { headers: owner.inside, body: sent },
    )
    expect(answer.status).toBe(200)
    expect(answer.body.results.map(({ error }) => error)).toEqual(rows.map(() => 'INVALID_APPLICATION_ID'))
    expect(answer.body.results.map(({ message }) => message)).toEqual([
      expect.stringContaining('is missing'),
      expect.stringContaining('not its slug'),
      expect.stringContaining('no application'),
    ])
  }
})
