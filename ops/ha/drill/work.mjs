// The load of the drill. It records every acknowledged change for the verification.
import { setTimeout as sleep } from 'node:timers/promises'
import { authorizeMachine, obtainTokens, send, sendWithRetries, signIn } from './client.mjs'

const TOKEN_CHAINS = 8
const INTERVAL_MS = 60

/** The acknowledged changes. */
export const acknowledged = {
  /** For each user, whether the user holds a seat, and the number of changes. */
  seats: new Map(),
  invited: new Set(),
  canceled: new Set(),
  registered: new Set(),
  tenants: new Set(),
  deleted: new Set(),
  renamed: [],
  refreshes: 0,
  lostChains: [],
  rejectedValidTokens: [],
  /** Responses that no fault explains. */
  unexpected: [],
}

export async function startLoad() {
  const owner = await signIn('olivia@acme.test')
  const ops = await authorizeMachine('demo-ops')
  const { tenants } = (await sendWithRetries('GET', '/api/tenants', { headers: owner })).body
  const acme = tenants.find(({ slug }) => slug === 'acme').id
  const { members } = (await sendWithRetries('GET', `/api/tenants/${acme}/members`, { headers: owner })).body
  const path = `/api/licensing/tenants/${acme}/subscriptions`
  const subscriptions = (await sendWithRetries('GET', path, { headers: ops })).body
  const { applicationId, licenseTypeId } = subscriptions.find(
    ({ quantityPurchased }) => quantityPurchased >= members.length,
  )
  const seat = { applicationId, licenseTypeId }
  const chains = await Promise.all(Array.from({ length: TOKEN_CHAINS }, () => obtainTokens(owner)))

  let isRunning = true
  const repeat = (intervalMs, step) => {
    let count = 0
    const loop = async () => {
      while (isRunning) {
        await step(count++)
        await sleep(intervalMs)
      }
    }
    return loop()
  }
  const loops = [
    ...members.map(({ userId }) => repeat(INTERVAL_MS, toggleSeat({ ...seat, userId }))),
    ...chains.map((chain) => repeat(INTERVAL_MS * 3, refreshLoop(chain))),
    repeat(INTERVAL_MS, invite(owner, acme)),
    repeat(INTERVAL_MS, invite(owner, acme)),
    repeat(INTERVAL_MS * 2, rename(owner, acme)),
    repeat(INTERVAL_MS * 4, createTenant(owner)),
    repeat(8_000, register),
  ]
  return async () => {
    isRunning = false
    await Promise.all(loops)
    return { owner, ops, acme, seat }
  }
}

const expectStatus = (response, expected, description) => {
  if (expected.includes(response.status)) return true
  acknowledged.unexpected.push(`${description}: ${response.status} ${JSON.stringify(response.body).slice(0, 200)}`)
  return false
}

/** Grants and revokes a seat alternately. */
function toggleSeat(seat) {
  return async () => {
    const current = acknowledged.seats.get(seat.userId) ?? { isHeld: false, changes: 0 }
    const headers = await machineHeaders()
    const verb = current.isHeld ? 'revoke' : 'grant'
    const response = await sendWithRetries('POST', `/api/integration/licenses/${verb}`, {
      headers,
      body: seat,
    })
    const { error } = response.body
    // The demo data contains some seats. A killed node may have processed a request without a response.
    const mayBeDone = current.changes === 0 || response.connectionLost
    if (mayBeDone && (error === 'ALREADY_LICENSED' || error === 'LICENSE_NOT_FOUND')) {
      const isCounted = current.changes > 0
      acknowledged.seats.set(seat.userId, {
        isHeld: verb === 'grant',
        changes: current.changes + (isCounted ? 1 : 0),
      })
      return
    }
    if (!expectStatus(response, [200, 201], `${verb} of a seat, attempt ${response.attempts}`)) return
    acknowledged.seats.set(seat.userId, { isHeld: verb === 'grant', changes: current.changes + 1 })
  }
}

let token
/** The headers of the machine client, with a token that is renewed before it expires. */
async function machineHeaders() {
  if (!token || Date.now() - token.at > 240_000)
    token = { at: Date.now(), headers: await authorizeMachine('demo-machine') }
  return token.headers
}

/** Refreshes tokens in a loop and checks each access token with a userinfo request. */
function refreshLoop(chain) {
  let { refresh_token: refreshToken, access_token: accessToken } = chain
  let isLost = false
  return async () => {
    if (isLost) return
    const form = { grant_type: 'refresh_token', client_id: 'demo-spa', refresh_token: refreshToken }
    const response = await sendWithRetries('POST', '/api/oauth/token', { form })
    if (response.status !== 200) {
      isLost = true
      acknowledged.lostChains.push(
        `${response.status} ${JSON.stringify(response.body)} at attempt ${response.attempts}`,
      )
      return
    }
    acknowledged.refreshes += 1
    ;({ refresh_token: refreshToken, access_token: accessToken } = response.body)
    const userinfo = await send('GET', '/api/oauth/userinfo', {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    if (userinfo.status === 401) acknowledged.rejectedValidTokens.push(JSON.stringify(userinfo.body))
  }
}

function invite(owner, tenant) {
  const start = Math.random().toString(36).slice(2)
  return async (count) => {
    const email = `guest-${start}-${count}@people.test`
    const path = `/api/tenants/${tenant}/invitations`
    const response = await sendWithRetries('POST', path, { headers: owner, body: { email, role: 'member' } })
    // A killed node may have created the invitation without storing the response.
    if (!expectStatus(response, response.connectionLost ? [201, 409] : [201], 'an invitation')) return
    acknowledged.invited.add(email)
    if (count % 3 !== 0 || response.status === 409) return
    const deletion = await sendWithRetries('DELETE', `${path}/${response.body.id}`, { headers: owner })
    // A retried deletion may find nothing to delete.
    const expectedStatuses = deletion.attempts > 1 ? [200, 204, 404, 409] : [200, 204]
    if (expectStatus(deletion, expectedStatuses, `an invitation revoked, attempt ${deletion.attempts}`))
      acknowledged.canceled.add(email)
  }
}

function rename(owner, tenant) {
  return async (count) => {
    const name = `Acme ${count}`
    const response = await sendWithRetries('PATCH', `/api/tenants/${tenant}`, {
      headers: owner,
      body: { name },
    })
    if (expectStatus(response, [200], 'a new name')) acknowledged.renamed.push(name)
  }
}

function createTenant(owner) {
  return async (count) => {
    const slug = `made-${Date.now().toString(36)}-${count}`
    const response = await sendWithRetries('POST', '/api/tenants', {
      headers: owner,
      body: { name: slug, slug },
    })
    if (response.status === 429) return
    if (!expectStatus(response, [201], 'a tenant')) return
    acknowledged.tenants.add(response.body.id)
    if (count % 2 !== 0) return
    const deletion = await sendWithRetries('DELETE', `/api/tenants/${response.body.id}`, { headers: owner })
    const expectedStatuses = deletion.attempts > 1 ? [200, 202, 204, 404] : [200, 202, 204]
    if (expectStatus(deletion, expectedStatuses, `a tenant deleted, attempt ${deletion.attempts}`))
      acknowledged.deleted.add(response.body.id)
  }
}

async function register(count) {
  const email = `new-${Date.now().toString(36)}-${count}@people.test`
  const body = { email, password: 'a-password-of-the-drill-2026', givenName: 'New', familyName: 'Person' }
  const response = await sendWithRetries('POST', '/api/auth/register', { body })
  if (response.status === 429) return
  if (expectStatus(response, [200, 201, 202], 'a registration')) acknowledged.registered.add(email)
}
