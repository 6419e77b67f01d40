import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { exchange, type Heard } from '../exchange.ts'
import {
  basic,
  bearer,
  FORM,
  getMachineToken,
  getTokens,
  JSON_BODY,
  type Tokens,
} from '../latchkey/callers.ts'
import {
  OWNER,
  PEOPLE,
  personEmail,
  SMALL_TENANTS,
  seatHolderEmail,
  smallMachine,
} from '../latchkey/world.ts'
import type { Request } from '../row.ts'
import type { Node } from './nodes.ts'
import type { Tally } from './tally.ts'

/** What people and applications do with the service, each kind at its own rate, at both nodes in turn. */

export interface Task {
  kind: string
  perSecond: number
  run(): Promise<void>
}

/** An application that holds tokens of a person. */
interface Client extends Pick<Tokens, 'access_token' | 'refresh_token'> {
  /** Of all its tokens, from the sign-in on. */
  grant: { isRevoked: boolean }
}

const toClient = (tokens: Tokens): Client => ({ ...tokens, grant: { isRevoked: false } })

interface Work {
  tally: Tally
  nodes: Node[]
  /** Asks one node after the other. An answer with another status than expected is noted, and is undefined. */
  ask(kind: string, request: Request, status?: number, isExcused?: () => boolean): Promise<Heard | undefined>
  /** Refreshed by one task at a time: whoever refreshes takes it out meanwhile. */
  clients: Client[]
  tenantId: string
  owner: Record<string, string>
  machine: Record<string, string>
  operator: Record<string, string>
}

const CLIENTS = 24
/** To each node; more than are needed, so that nothing waits before it is sent. */
const MOST_SOCKETS = 64
/** An idle connection is closed before the service closes it, so that no request is sent on one that is closing. */
const IDLE_MS = 20_000
/** Invitations that are open at a time. */
const MOST_INVITATIONS = 50

/** Gets everybody's tokens, sets the webhook up, and says what there is to do. */
export async function prepareWork(nodes: Node[], tally: Tally, receiverPort: number): Promise<Task[]> {
  const [first] = nodes
  if (!first) throw new Error('There is no node.')
  const clients: Client[] = []
  for (let index = 0; index < CLIENTS; index++)
    clients.push(toClient(await getTokens(first, personEmail(index))))
  const ask = createAsking(nodes, tally)
  const owner = bearer((await getTokens(first, personEmail(OWNER))).access_token)
  const listed = await ask('prepare', { method: 'GET', path: '/api/tenants', headers: owner })
  const tenantId: string = JSON.parse(listed?.body ?? '{}').tenants?.[0]?.id ?? ''
  const machine = bearer(await getMachineToken(first, 'bench-machine'))
  const operator = bearer(await getMachineToken(first, 'bench-ops'))
  const webhook = { url: `http://127.0.0.1:${receiverPort}/`, events: ['*'] }
  const hook = { method: 'POST', path: `/api/tenants/${tenantId}/webhooks` } as const
  const headers = { ...owner, ...JSON_BODY }
  const made = await ask('prepare', { ...hook, headers, body: JSON.stringify(webhook) }, 201)
  if (!made) throw new Error(tally.problems().join('\n'))
  const work: Work = { tally, nodes, ask, clients, tenantId, owner, machine, operator }
  return [
    ...tokenTasks(work),
    ...licenseTasks(work, first),
    await seatTask(work, first),
    invitationTask(work),
    ...listTasks(work),
  ]
}

function createAsking(nodes: Node[], tally: Tally): Work['ask'] {
  const agent = new Agent({ keepAlive: true, maxSockets: MOST_SOCKETS, timeout: IDLE_MS })
  let turn = 0
  return async (kind, request, status = 200, isExcused = () => false) => {
    const node = nodes[turn++ % nodes.length]
    const begin = performance.now()
    try {
      const heard = await exchange(node?.url ?? '', agent, request)
      tally.note(kind, heard.status, performance.now() - begin)
      if (heard.status === status) return heard
      if (!isExcused()) tally.noteUnexpected(`${kind}: ${heard.status} ${heard.body.slice(0, 200)}`)
    } catch (error) {
      tally.noteUnexpected(`${kind}: ${error}`)
    }
    return undefined
  }
}

/** One after the other, and again from the beginning. */
function inTurn<T>(values: T[]): () => T {
  let next = 0
  return () => {
    const value = values[next++ % values.length]
    if (value === undefined) throw new Error('There is nothing to choose from.')
    return value
  }
}

function tokenTasks({ tally, nodes, ask, clients }: Work): Task[] {
  const node = inTurn(nodes)
  const person = inTurn(Array.from({ length: PEOPLE }, (_, index) => personEmail(index)))
  const secret = node().facts.clientSecret
  const token = { method: 'POST', headers: { ...FORM, ...basic('bench-web', secret) } } as const
  return [
    {
      ...{ kind: 'sign-in by the code flow, revoke', perSecond: 1 },
      async run() {
        const begin = performance.now()
        try {
          clients.push(toClient(await getTokens(node(), person())))
          tally.note('sign-in by the code flow', 200, performance.now() - begin)
        } catch (error) {
          return tally.noteUnexpected(`sign-in: ${error}`)
        }
        // The application that signed in longest ago is closed.
        const oldest = clients.shift()
        if (!oldest) return
        oldest.grant.isRevoked = true
        const body = `client_id=bench-web&token=${oldest.refresh_token}`
        await ask('revoke', { ...token, path: '/api/oauth/revoke', body })
      },
    },
    {
      ...{ kind: 'refresh', perSecond: 8 },
      async run() {
        const client = clients.shift()
        if (!client) return tally.noteSkipped('refresh')
        const body = `grant_type=refresh_token&refresh_token=${client.refresh_token}`
        const heard = await ask('refresh', { ...token, path: '/api/oauth/token', body })
        if (heard) clients.push({ ...JSON.parse(heard.body), grant: client.grant })
      },
    },
    {
      ...{ kind: 'userinfo', perSecond: 15 },
      async run() {
        const client = clients.at(-1)
        if (!client) return tally.noteSkipped('userinfo')
        const headers = bearer(client.access_token)
        // It may be revoked while the request is on its way.
        const isExcused = () => client.grant.isRevoked
        await ask('userinfo', { method: 'GET', path: '/api/oauth/userinfo', headers }, 200, isExcused)
      },
    },
    {
      ...{ kind: 'client credentials', perSecond: 2 },
      async run() {
        const headers = { ...FORM, ...basic('bench-machine', secret) }
        const body = 'grant_type=client_credentials'
        await ask('client credentials', { method: 'POST', path: '/api/oauth/token', headers, body })
      },
    },
  ]
}

function licenseTasks({ ask, machine }: Work, { facts }: Node): Task[] {
  const { applicationId = '' } = facts
  const userId = inTurn<string>(Object.values(JSON.parse(facts.people ?? '{}')))
  const at = '/api/integration/licenses'
  const check = (perSecond: number, path: string): Task => ({
    ...{ kind: `license ${path}`, perSecond },
    async run() {
      const query = new URLSearchParams({ userId: userId(), applicationId, featureKey: 'reports' })
      await ask(`license ${path}`, { method: 'GET', path: `${at}/${path}?${query}`, headers: machine })
    },
  })
  const seats = { method: 'GET', path: `${at}/apps/${applicationId}/users`, headers: machine } as const
  return [
    ...[check(20, 'check'), check(10, 'feature')],
    { kind: 'license holders', perSecond: 1, run: async () => void (await ask('license holders', seats)) },
  ]
}

/** Each run gives somebody a seat, or takes it back. */
async function seatTask({ tally, ask }: Work, node: Node): Promise<Task> {
  const { applicationId, licenseTypeId, people = '{}' } = node.facts
  const holders: { userId: string; isHeld: boolean; headers: Record<string, string> }[] = []
  for (let index = 0; index < SMALL_TENANTS; index++) {
    const headers = { ...bearer(await getMachineToken(node, smallMachine(index))), ...JSON_BODY }
    holders.push({ userId: JSON.parse(people)[seatHolderEmail(index)], isHeld: false, headers })
  }
  return {
    ...{ kind: 'seat granted or revoked', perSecond: 4 },
    async run() {
      const holder = holders.shift()
      if (!holder) return tally.noteSkipped('seat granted or revoked')
      const { userId, isHeld, headers } = holder
      const verb = isHeld ? 'revoke' : 'grant'
      const path = `/api/integration/licenses/${verb}`
      const body = JSON.stringify({ userId, applicationId, ...(isHeld ? {} : { licenseTypeId }) })
      const status = isHeld ? 200 : 201
      const heard = await ask('seat granted or revoked', { method: 'POST', path, headers, body }, status)
      holders.push(heard ? { ...holder, isHeld: !isHeld } : holder)
    },
  }
}

/** Each run invites somebody new, and takes the oldest invitation back where many are open. */
function invitationTask({ ask, tenantId, owner }: Work): Task {
  const open: string[] = []
  const path = `/api/tenants/${tenantId}/invitations`
  return {
    ...{ kind: 'invitation', perSecond: 1 },
    async run() {
      const body = JSON.stringify({ email: `${randomBytes(8).toString('hex')}@guests.example` })
      const headers = { ...owner, ...JSON_BODY }
      const made = await ask('invitation', { method: 'POST', path, headers, body }, 201)
      if (made) open.push(JSON.parse(made.body).id)
      if (open.length <= MOST_INVITATIONS) return
      const id = open.shift()
      await ask('invitation revoked', { method: 'DELETE', path: `${path}/${id}`, headers: owner })
    },
  }
}

function listTasks({ ask, tenantId, owner, operator }: Work): Task[] {
  const list = (kind: string, perSecond: number, path: string, headers: Record<string, string>): Task => ({
    ...{ kind, perSecond },
    run: async () => void (await ask(kind, { method: 'GET', path, headers })),
  })
  const tenant = `/api/tenants/${tenantId}`
  return [
    list('own profile', 4, '/api/users/me', owner),
    list('own sessions', 1, '/api/users/me/sessions', owner),
    list('members', 3, `${tenant}/members?limit=50`, owner),
    list('open invitations', 1, `${tenant}/invitations`, owner),
    list('audit log of the tenant', 1, `${tenant}/audit?limit=50`, owner),
    list('audit log of the instance', 1, '/api/admin/audit?limit=50', operator),
    list('users of the instance', 1, '/api/admin/users?limit=50', operator),
    list('event feed', 1, '/api/events?limit=50', owner),
  ]
}
