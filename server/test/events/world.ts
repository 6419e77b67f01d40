import { extendChain } from '../../src/audit/chain/service.ts'
import type { Config } from '../../src/config.ts'
import { dispatch } from '../../src/events/dispatch/service.ts'
import { fanOut } from '../../src/events/fan-out/service.ts'
import { call, newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, startWorld } from '../support/world.ts'
import { type Company, employ, newCompany } from '../tenants/company.ts'

/** Receivers run on this machine, which is no public address. */
export const NEARBY = { webhooks: { allowedNetworks: ['127.0.0.0/8'] } }

/** A service that does nothing of itself: what its jobs do is done when a test says so. */
export const startQuiet = (config: Partial<Config> = {}): Promise<TestService> =>
  startWorld({ frozenClock: true, config: { ...NEARBY, ...config } })

const never = new AbortController().signal

/** What the jobs do within a second: everything that is due now is sent, and what fails is put off. */
export async function pass({ ctx }: TestService): Promise<void> {
  await extendChain(ctx)
  await fanOut(ctx)
  await dispatch(ctx, never)
}

export interface Shop {
  company: Company
  owner: Somebody
  /** Something happens there. */
  rename(name: string): Promise<void>
}

export async function openShop(service: TestService): Promise<Shop> {
  const [owner, company] = [patient(service, await newSomebody(service)), await newCompany(service)]
  await employ(service, company, owner, { role: 'owner' })
  const rename = async (name: string) => {
    const { status } = await owner.call('PATCH', `/api/tenants/${company.id}`, { name })
    if (status !== 200) throw new Error(`renaming: ${status}`)
  }
  return { company, owner, rename }
}

/** Signs in anew when so much time has passed that the token is good no more. */
function patient({ url }: TestService, somebody: Somebody): Somebody {
  let bearer = somebody.tokens.access_token
  const knock = (method: string, path: string, body?: unknown) =>
    call(url + path, { method, body, headers: { authorization: `Bearer ${bearer}` } })
  return {
    ...somebody,
    async call(...request) {
      const answer = await knock(...request)
      if (answer.status !== 401) return answer
      bearer = (await somebody.signInElsewhere()).tokens.access_token
      return knock(...request)
    },
  }
}

/** Calls a route as the machine that runs the instance. */
export async function asOps({ url }: TestService, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${await machineToken(url, 'demo-ops')}` }
  return call(url + path, { method, headers, body })
}

export interface Hook {
  id: string
  secret: string
  path: string
  /** Calls a route below the webhook. */
  call(method: string, below?: string, body?: unknown): ReturnType<Somebody['call']>
}

/** A webhook of a tenant, made by its owner. */
export async function hookOf(shop: Shop, url: string, more: object = {}): Promise<Hook> {
  const base = `/api/tenants/${shop.company.id}/webhooks`
  return hookAt(base, shop.owner.call, { url, events: ['*'], ...more })
}

/** A webhook of the instance. */
export const instanceHook = (service: TestService, url: string, more: object = {}): Promise<Hook> =>
  hookAt('/api/admin/webhooks', (...call) => asOps(service, ...call), { url, events: ['*'], ...more })

async function hookAt(base: string, knock: Somebody['call'], draft: object): Promise<Hook> {
  const { status, body } = await knock('POST', base, draft)
  if (status !== 201) throw new Error(JSON.stringify(body))
  const { id, secret } = body as { id: string; secret: string }
  const path = `${base}/${id}`
  return { id, secret, path, call: (method, below = '', sent) => knock(method, path + below, sent) }
}

/** The names that a tenant was given, as events tell them. */
export const namesIn = (events: { type: string; data: { details: object } }[]): unknown[] =>
  events
    .filter(({ type }) => type === 'tenant.changed')
    .map(({ data }) => (data.details as { after: { name: string } }).after.name)

export const HOUR = 3_600_000
