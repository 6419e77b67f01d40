import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { admin, introspect, token } from '../support/world.ts'
import { insertTenant, type TestTenant } from '../tenants/tenant-rows.ts'
import { type RegisteredClient, startTwoNodes, type TwoNodes } from './two-nodes.ts'

// The counterpart of token-invalidation.test.ts for tokens of machine clients.

let nodes: TwoNodes
let here: TestService
let there: TestService
beforeAll(async () => {
  nodes = await startTwoNodes()
  ;({ here, there } = nodes)
})
afterAll(() => nodes?.close())

const patch = (path: string, body: object) => nodes.patch(path, body)
const remove = (path: string) => nodes.remove(path)

interface MachineFixture {
  company: TestTenant
  applicationId: string
  client: RegisteredClient
  accessToken: string
}

async function newMachine(): Promise<MachineFixture> {
  const company = await insertTenant(here)
  const traits = { kind: 'MACHINE', tenantId: company.id, scopes: ['licenses:read'] }
  const { applicationId, client } = await nodes.newClient(traits)
  const { clientId: client_id, clientSecret: client_secret } = client
  const { body } = await token(here.url, { grant_type: 'client_credentials', client_id, client_secret })
  return { company, applicationId, client, accessToken: body.access_token }
}

const MACHINE_ENDINGS: Record<string, (fixture: MachineFixture) => Promise<unknown>> = {
  'it is revoked itself': ({ client: { clientId: client_id, clientSecret: client_secret }, accessToken }) =>
    fetch(`${here.url}/api/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: accessToken, client_id, client_secret }),
    }),
  'its secret is deleted': async ({ client: { id } }) => {
    const [secret] = await here.ctx.db.selectFrom('client_secrets').select('id').where('client_id', '=', id).execute()
    await admin(here.url, `/api/admin/clients/${id}/secrets`, {})
    await remove(`/clients/${id}/secrets/${secret?.id}`)
  },
  'its client is disabled': ({ client }) => patch(`/clients/${client.id}`, { disabled: true }),
  'its client is deleted': ({ client }) => remove(`/clients/${client.id}`),
  'its application is deleted': ({ applicationId }) => remove(`/applications/${applicationId}`),
  'its tenant is suspended': ({ company }) => patch(`/tenants/${company.id}`, { suspended: true }),
  'its tenant was suspended and reactivated': async ({ company }) => {
    for (const suspended of [true, false]) await patch(`/tenants/${company.id}`, { suspended })
  },
  'its tenant is deleted': ({ company }) => here.ctx.db.deleteFrom('tenants').where('id', '=', company.id).execute(),
}

describe("a machine client's token is invalid on the other node as soon as", () => {
  test.each(Object.entries(MACHINE_ENDINGS))('%s', async (name, end) => {
    const fixture = await newMachine()
    const activeOn = async ({ url }: TestService) => (await introspect(url, fixture.accessToken)).active
    expect([await activeOn(here), await activeOn(there)]).toEqual([true, true])
    if (name.includes('reactivated')) here.advance(2_000)
    await end(fixture)
    await nodes.changesAnnounced()
    expect([await activeOn(there), await activeOn(here)]).toEqual([false, false])
  })

  test('its client loses the scope', async () => {
    const { client, accessToken } = await newMachine()
    const path = `/api/integration/licenses/apps/${randomUUID()}/count`
    // The application does not exist, but only a caller with the scope learns that.
    expect(await nodes.statuses(path, accessToken)).toEqual([400, 400])
    await patch(`/clients/${client.id}`, { scopes: ['events:read'] })
    await nodes.changesAnnounced()
    expect(await nodes.statuses(path, accessToken)).toEqual([403, 403])
  })
})
