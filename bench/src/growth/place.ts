import { Agent } from 'node:http'
import type pg from 'pg'
import { exchange as exchangeWith, type Heard } from '../exchange.ts'
import type { Request } from '../row.ts'
import { asOwner } from './databases.ts'
import { createMeter, type Meter } from './processor-time.ts'
import type { Service, Where } from './service.ts'
import { APPLICATION, basic, MACHINES, OWNER, TENANT } from './world.ts'

/** A service with so many of everything, and what is needed to ask it. */
export interface Place {
  size: number
  /** Sends a request over the one connection; throws if the answer has another status. */
  ask(request: Request, status?: number): Promise<string>
  /** The rows of a statement, for preparing. */
  find<T extends pg.QueryResultRow>(query: string, values?: unknown[]): Promise<T[]>
  tenantId: string
  applicationId: string
  licenseTypeId: string
  /** Headers of those who ask: a machine of the tenant, one of the instance, and the owner of the tenant. */
  as: Record<'machine' | 'operator' | 'owner', Record<string, string>>
  /** The processor time that the service and its database have taken so far. */
  meter: Meter
  close(): Promise<void>
}

const JSON_BODY = { 'content-type': 'application/json' }
export const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' }

export async function openPlace({ url, pid }: Service, where: Where, size: number): Promise<Place> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const exchange = (request: Request) => exchangeWith(url, agent, request)
  const find = <T extends pg.QueryResultRow>(query: string, values: unknown[] = []) =>
    asOwner(where, async (client) => (await client.query<T>(query, values)).rows)
  const [ids] = await find<{ tenant: string; application: string; type: string }>(
    `select tenants.id as tenant, applications.id as application, license_types.id as type
     from tenants, applications join license_types on license_types.application_id = applications.id
     where tenants.slug = $1 and applications.slug = $2`,
    [TENANT, APPLICATION],
  )
  if (!ids) throw new Error('The world is not there.')
  const meter = await createMeter(pid, where)
  return {
    ...{ size, meter, find, tenantId: ids.tenant, applicationId: ids.application, licenseTypeId: ids.type },
    async ask(request, status = 200) {
      const answer = await exchange(request)
      if (answer.status !== status) throw new Error(`${request.path}: ${answer.status} ${answer.body}`)
      return answer.body
    },
    as: {
      machine: await signInMachine(exchange, MACHINES.tenant),
      operator: await signInMachine(exchange, MACHINES.instance),
      owner: await signInOwner(exchange),
    },
    async close() {
      agent.destroy()
      await meter.close()
    },
  }
}

type Exchange = (request: Request) => Promise<Heard>

async function signInMachine(exchange: Exchange, machine: { id: string; secret: string }) {
  const headers = { ...FORM_BODY, authorization: basic(machine) }
  const body = 'grant_type=client_credentials'
  const answer = await exchange({ method: 'POST', path: '/api/oauth/token', headers, body })
  return { authorization: `Bearer ${JSON.parse(answer.body).access_token}` }
}

async function signInOwner(exchange: Exchange) {
  const body = JSON.stringify(OWNER)
  const { status, cookies } = await exchange({
    ...{ method: 'POST', path: '/api/auth/login' },
    ...{ headers: JSON_BODY, body },
  })
  if (status !== 200) throw new Error(`The owner could not sign in: ${status}`)
  return { cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') }
}
