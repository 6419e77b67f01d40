import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { type ResponseWithCookies, sendRequest } from '../http.ts'
import { basic, bearer, FORM, getMachineToken, getTokens, JSON_BODY, type Tokens } from '../latchkey/callers.ts'
import { OWNER, PEOPLE, personEmail, SMALL_TENANTS, seatHolderEmail, smallMachine } from '../latchkey/seed.ts'
import type { HttpRequest } from '../row.ts'
import type { Node } from './nodes.ts'
import type { Tally } from './tally.ts'

/** Typical requests of people and applications, each at its own rate, sent to both nodes in turn. */

export interface Task {
  kind: string
  perSecond: number
  run(): Promise<void>
}

/** A signed-in application with the tokens of a person. */
interface Client extends Pick<Tokens, 'access_token' | 'refresh_token'> {
  /** Shared by all tokens of one sign-in. */
  grant: { isRevoked: boolean }
}

const toClient = (tokens: Tokens): Client => ({ ...tokens, grant: { isRevoked: false } })

interface TaskContext {
  tally: Tally
  nodes: Node[]
  /** Sends to the nodes in turn. Records a response with another status as unexpected and returns undefined. */
  send(
    kind: string,
    request: HttpRequest,
    status?: number,
    isExpectedFailure?: () => boolean,
  ): Promise<ResponseWithCookies | undefined>
  /** A task removes a client while it refreshes its token, so that no token is used twice. */
  clients: Client[]
  tenantId: string
  owner: Record<string, string>
  machine: Record<string, string>
  operator: Record<string, string>
}

const CLIENTS = 24
/** Per node. More than needed, so that no request waits for a socket. */
const MAX_SOCKETS = 64
/** Shorter than the keep-alive timeout of the service, so that no request is sent on a closing connection. */
const IDLE_TIMEOUT_MS = 20_000
const MAX_OPEN_INVITATIONS = 50

/** Gets the tokens, creates the webhook, and returns the tasks. */
export async function prepareTasks(nodes: Node[], tally: Tally, receiverPort: number): Promise<Task[]> {
  const [first] = nodes
  if (!first) throw new Error('There is no node.')
  const clients: Client[] = []
  for (let index = 0; index < CLIENTS; index++) clients.push(toClient(await getTokens(first, personEmail(index))))
  const send = createSender(nodes, tally)
  const owner = bearer((await getTokens(first, personEmail(OWNER))).access_token)
  const listed = await send('prepare', { method: 'GET', path: '/api/tenants', headers: owner })
  const tenantId: string = JSON.parse(listed?.body ?? '{}').tenants?.[0]?.id ?? ''
  const machine = bearer(await getMachineToken(first, 'bench-machine'))
  const operator = bearer(await getMachineToken(first, 'bench-ops'))
  const webhook = { url: `http://127.0.0.1:${receiverPort}/`, events: ['*'] }
  const request = { method: 'POST', path: `/api/tenants/${tenantId}/webhooks` } as const
  const headers = { ...owner, ...JSON_BODY }
  const created = await send('prepare', { ...request, headers, body: JSON.stringify(webhook) }, 201)
  if (!created) throw new Error(tally.problems().join('\n'))
  const context: TaskContext = { tally, nodes, send, clients, tenantId, owner, machine, operator }
  return [
    ...tokenTasks(context),
    ...licenseTasks(context, first),
    await seatTask(context, first),
    invitationTask(context),
    ...listTasks(context),
  ]
}

function createSender(nodes: Node[], tally: Tally): TaskContext['send'] {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, timeout: IDLE_TIMEOUT_MS })
  let turn = 0
  return async (kind, request, status = 200, isExpectedFailure = () => false) => {
    const node = nodes[turn++ % nodes.length]
    const startedAt = performance.now()
    try {
      const response = await sendRequest(node?.url ?? '', agent, request)
      tally.record(kind, response.status, performance.now() - startedAt)
      if (response.status === status) return response
      if (!isExpectedFailure()) tally.recordUnexpected(`${kind}: ${response.status} ${response.body.slice(0, 200)}`)
    } catch (error) {
      tally.recordUnexpected(`${kind}: ${error}`)
    }
    return undefined
  }
}

/** Cycles through the values. */
function cycle<T>(values: T[]): () => T {
  let next = 0
  return () => {
    const value = values[next++ % values.length]
    if (value === undefined) throw new Error('There are no values to cycle through.')
    return value
  }
}

function tokenTasks({ tally, nodes, send, clients }: TaskContext): Task[] {
  const nextNode = cycle(nodes)
  const nextPerson = cycle(Array.from({ length: PEOPLE }, (_, index) => personEmail(index)))
  const secret = nextNode().outputs.clientSecret
  const token = { method: 'POST', headers: { ...FORM, ...basic('bench-web', secret) } } as const
  return [
    {
      kind: 'sign-in by the code flow, revoke',
      perSecond: 1,
      async run() {
        const startedAt = performance.now()
        try {
          clients.push(toClient(await getTokens(nextNode(), nextPerson())))
          tally.record('sign-in by the code flow', 200, performance.now() - startedAt)
        } catch (error) {
          return tally.recordUnexpected(`sign-in: ${error}`)
        }
        // Revoke the oldest sign-in.
        const oldest = clients.shift()
        if (!oldest) return
        oldest.grant.isRevoked = true
        const body = `client_id=bench-web&token=${oldest.refresh_token}`
        await send('revoke', { ...token, path: '/api/oauth/revoke', body })
      },
    },
    {
      kind: 'refresh',
      perSecond: 8,
      async run() {
        const client = clients.shift()
        if (!client) return tally.recordSkipped('refresh')
        const body = `grant_type=refresh_token&refresh_token=${client.refresh_token}`
        const response = await send('refresh', { ...token, path: '/api/oauth/token', body })
        if (response) clients.push({ ...JSON.parse(response.body), grant: client.grant })
      },
    },
    {
      kind: 'userinfo',
      perSecond: 15,
      async run() {
        const client = clients.at(-1)
        if (!client) return tally.recordSkipped('userinfo')
        const headers = bearer(client.access_token)
        // The token may be revoked while the request is in flight.
        const isExpectedFailure = () => client.grant.isRevoked
        await send('userinfo', { method: 'GET', path: '/api/oauth/userinfo', headers }, 200, isExpectedFailure)
      },
    },
    {
      kind: 'client credentials',
      perSecond: 2,
      async run() {
        const headers = { ...FORM, ...basic('bench-machine', secret) }
        const body = 'grant_type=client_credentials'
        await send('client credentials', { method: 'POST', path: '/api/oauth/token', headers, body })
      },
    },
  ]
}

function licenseTasks({ send, machine }: TaskContext, { outputs }: Node): Task[] {
  const { applicationId = '' } = outputs
  const nextUserId = cycle<string>(Object.values(JSON.parse(outputs.people ?? '{}')))
  const base = '/api/integration/licenses'
  const check = (perSecond: number, path: string): Task => ({
    kind: `license ${path}`,
    perSecond,
    async run() {
      const query = new URLSearchParams({ userId: nextUserId(), applicationId, featureKey: 'feature-0' })
      await send(`license ${path}`, { method: 'GET', path: `${base}/${path}?${query}`, headers: machine })
    },
  })
  const seats = { method: 'GET', path: `${base}/apps/${applicationId}/users`, headers: machine } as const
  return [
    check(20, 'check'),
    check(10, 'feature'),
    { kind: 'license holders', perSecond: 1, run: async () => void (await send('license holders', seats)) },
  ]
}

/** Each run grants or revokes a seat. */
async function seatTask({ tally, send }: TaskContext, node: Node): Promise<Task> {
  const { applicationId, licenseTypeId, people = '{}' } = node.outputs
  const holders: { userId: string; hasSeat: boolean; headers: Record<string, string> }[] = []
  for (let index = 0; index < SMALL_TENANTS; index++) {
    const headers = { ...bearer(await getMachineToken(node, smallMachine(index))), ...JSON_BODY }
    holders.push({ userId: JSON.parse(people)[seatHolderEmail(index)], hasSeat: false, headers })
  }
  return {
    kind: 'seat granted or revoked',
    perSecond: 4,
    async run() {
      const holder = holders.shift()
      if (!holder) return tally.recordSkipped('seat granted or revoked')
      const { userId, hasSeat, headers } = holder
      const verb = hasSeat ? 'revoke' : 'grant'
      const path = `/api/integration/licenses/${verb}`
      const body = JSON.stringify({ userId, applicationId, ...(hasSeat ? {} : { licenseTypeId }) })
      const status = hasSeat ? 200 : 201
      const response = await send('seat granted or revoked', { method: 'POST', path, headers, body }, status)
      holders.push(response ? { ...holder, hasSeat: !hasSeat } : holder)
    },
  }
}

/** Each run creates an invitation, and revokes the oldest if too many are open. */
function invitationTask({ send, tenantId, owner }: TaskContext): Task {
  const open: string[] = []
  const path = `/api/tenants/${tenantId}/invitations`
  return {
    kind: 'invitation',
    perSecond: 1,
    async run() {
      const body = JSON.stringify({ email: `${randomBytes(8).toString('hex')}@guests.example` })
      const headers = { ...owner, ...JSON_BODY }
      const created = await send('invitation', { method: 'POST', path, headers, body }, 201)
      if (created) open.push(JSON.parse(created.body).id)
      if (open.length <= MAX_OPEN_INVITATIONS) return
      const id = open.shift()
      await send('invitation revoked', { method: 'DELETE', path: `${path}/${id}`, headers: owner })
    },
  }
}

function listTasks({ send, tenantId, owner, operator }: TaskContext): Task[] {
  const list = (kind: string, perSecond: number, path: string, headers: Record<string, string>): Task => ({
    kind,
    perSecond,
    run: async () => void (await send(kind, { method: 'GET', path, headers })),
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
