import { extendChain } from '../../src/audit/chain/service.ts'
import type { Config } from '../../src/config.ts'
import { dispatch } from '../../src/events/dispatch/service.ts'
import { fanOut } from '../../src/events/fan-out/service.ts'
import { call, createSignedInUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, startDemoService } from '../support/world.ts'
import { insertMembership, insertTenant, type TestTenant } from '../tenants/tenant-rows.ts'

/** Receivers run on loopback addresses, which are not public. */
export const ALLOW_LOOPBACK = { webhooks: { allowedNetworks: ['127.0.0.0/8'] } }

/** A service without background jobs. Tests run them with `pass`. */
export const startWithoutJobs = (config: Partial<Config> = {}): Promise<TestService> =>
  startDemoService({ frozenClock: true, config: { ...ALLOW_LOOPBACK, ...config } })

const never = new AbortController().signal

/** Runs the event jobs once: all due deliveries are attempted. */
export async function runEventJobs({ ctx }: TestService): Promise<void> {
  await extendChain(ctx)
  await fanOut(ctx)
  await dispatch(ctx, never)
}

export interface Shop {
  company: TestTenant
  owner: TestUser
  /** Causes an event. */
  rename(name: string): Promise<void>
}

export async function openShop(service: TestService): Promise<Shop> {
  const [owner, company] = [withFreshToken(service, await createSignedInUser(service)), await insertTenant(service)]
  await insertMembership(service, company, owner, { role: 'owner' })
  const rename = async (name: string) => {
    const { status } = await owner.call('PATCH', `/api/tenants/${company.id}`, { name })
    if (status !== 200) throw new Error(`renaming: ${status}`)
  }
  return { company, owner, rename }
}

/** Signs in again when the token has expired. */
function withFreshToken({ url }: TestService, somebody: TestUser): TestUser {
  let bearer = somebody.tokens.access_token
  const send = (method: string, path: string, body?: unknown) =>
    call(url + path, { method, body, headers: { authorization: `Bearer ${bearer}` } })
  return {
    ...somebody,
    async call(...request) {
      const answer = await send(...request)
      if (answer.status !== 401) return answer
      bearer = (await somebody.signInAgain()).tokens.access_token
      return send(...request)
    },
  }
}

/** Calls a route as the machine client of the operator. */
export async function callAsOps({ url }: TestService, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${await machineToken(url, 'demo-ops')}` }
  return call(url + path, { method, headers, body })
}

export interface Hook {
  id: string
  secret: string
  path: string
  /** Calls a route below the webhook. */
  call(method: string, below?: string, body?: unknown): ReturnType<TestUser['call']>
}

/** Creates a webhook of a tenant as its owner. */
export async function createTenantHook(shop: Shop, url: string, more: object = {}): Promise<Hook> {
  const base = `/api/tenants/${shop.company.id}/webhooks`
  return createHook(base, shop.owner.call, { url, events: ['*'], ...more })
}

/** Creates a webhook of the instance. */
export const createInstanceHook = (service: TestService, url: string, more: object = {}): Promise<Hook> =>
  createHook('/api/admin/webhooks', (...call) => callAsOps(service, ...call), { url, events: ['*'], ...more })

async function createHook(base: string, send: TestUser['call'], draft: object): Promise<Hook> {
  const { status, body } = await send('POST', base, draft)
  if (status !== 201) throw new Error(JSON.stringify(body))
  const { id, secret } = body as { id: string; secret: string }
  const path = `${base}/${id}`
  return { id, secret, path, call: (method, below = '', sent) => send(method, path + below, sent) }
}

/** The tenant names in tenant.changed events. */
export const tenantNamesIn = (events: { type: string; data: { details: object } }[]): unknown[] =>
  events
    .filter(({ type }) => type === 'tenant.changed')
    .map(({ data }) => (data.details as { after: { name: string } }).after.name)

export const HOUR_MS = 3_600_000
