import { Agent } from 'node:http'
import type pg from 'pg'
import { type ResponseWithCookies, sendRequest } from '../http.ts'
import type { HttpRequest } from '../row.ts'
import { type CpuMeter, createCpuMeter } from './cpu-time.ts'
import { withSuperuser } from './databases.ts'
import { APPLICATION, basic, MACHINES, OWNER, TENANT } from './seed.ts'
import type { DatabaseAddress, Service } from './service.ts'

/** A running service on a database of one size. */
export interface Target {
  size: number
  /** Sends a request over a single connection. Throws if the response has another status. */
  request(request: HttpRequest, status?: number): Promise<string>
  /** Runs a statement for the preparation and returns its rows. */
  find<T extends pg.QueryResultRow>(query: string, values?: unknown[]): Promise<T[]>
  tenantId: string
  applicationId: string
  licenseTypeId: string
  /** Authentication headers of a machine of the tenant, a machine of the instance, and the owner of the tenant. */
  as: Record<'machine' | 'operator' | 'owner', Record<string, string>>
  cpuMeter: CpuMeter
  close(): Promise<void>
}

const JSON_BODY = { 'content-type': 'application/json' }
export const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' }

export async function openTarget({ url, pid }: Service, address: DatabaseAddress, size: number): Promise<Target> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (request: HttpRequest) => sendRequest(url, agent, request)
  const find = <T extends pg.QueryResultRow>(query: string, values: unknown[] = []) =>
    withSuperuser(address, async (client) => (await client.query<T>(query, values)).rows)
  const [ids] = await find<{ tenant: string; application: string; type: string }>(
    `select tenants.id as tenant, applications.id as application, license_types.id as type
     from tenants, applications join license_types on license_types.application_id = applications.id
     where tenants.slug = $1 and applications.slug = $2`,
    [TENANT, APPLICATION],
  )
  if (!ids) throw new Error('The database has no seed data.')
  const cpuMeter = await createCpuMeter(pid, address)
  return {
    size,
    cpuMeter,
    find,
    tenantId: ids.tenant,
    applicationId: ids.application,
    licenseTypeId: ids.type,
    async request(request, status = 200) {
      const response = await send(request)
      if (response.status !== status) throw new Error(`${request.path}: ${response.status} ${response.body}`)
      return response.body
    },
    as: {
      machine: await signInMachine(send, MACHINES.tenant),
      operator: await signInMachine(send, MACHINES.instance),
      owner: await signInOwner(send),
    },
    async close() {
      agent.destroy()
      await cpuMeter.close()
    },
  }
}

type Send = (request: HttpRequest) => Promise<ResponseWithCookies>

async function signInMachine(send: Send, machine: { id: string; secret: string }) {
  const headers = { ...FORM_BODY, authorization: basic(machine) }
  const body = 'grant_type=client_credentials'
  const response = await send({ method: 'POST', path: '/api/oauth/token', headers, body })
  return { authorization: `Bearer ${JSON.parse(response.body).access_token}` }
}

async function signInOwner(send: Send) {
  const body = JSON.stringify(OWNER)
  const { status, cookies } = await send({
    method: 'POST',
    path: '/api/auth/login',
    headers: JSON_BODY,
    body,
  })
  if (status !== 200) throw new Error(`The owner could not sign in: ${status}`)
  return { cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') }
}
