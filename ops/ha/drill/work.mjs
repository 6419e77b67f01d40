// Constant work of many kinds. Everything that was acknowledged is kept, to be looked for afterwards.
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, insist, machine, obtainTokens, signIn } from './client.mjs'

const CHAINS = 8
const PACE_MS = 60

/** What the service has acknowledged. */
export const done = {
  /** For each person, whether the last answer was that they hold a seat, and how often that changed. */
  seats: new Map(),
  invited: new Set(),
  canceled: new Set(),
  registered: new Set(),
  tenants: new Set(),
  deleted: new Set(),
  renamed: [],
  refreshes: 0,
  lostChains: [],
  falseRefusals: [],
  /** Answers that the work has no explanation for. */
  unexpected: [],
}

export async function beginWork() {
  const owner = await signIn('olivia@acme.test')
  const ops = await machine('demo-ops')
  const { tenants } = (await insist('GET', '/api/tenants', { headers: owner })).body
  const acme = tenants.find(({ slug }) => slug === 'acme').id
  const { members } = (await insist('GET', `/api/tenants/${acme}/members`, { headers: owner })).body
  const path = `/api/licensing/tenants/${acme}/subscriptions`
  const subscriptions = (await insist('GET', path, { headers: ops })).body
  const { applicationId, licenseTypeId } = subscriptions.find(
    ({ quantityPurchased }) => quantityPurchased >= members.length,
  )
  const seat = { applicationId, licenseTypeId }
  const chains = await Promise.all(Array.from({ length: CHAINS }, () => obtainTokens(owner)))

  let isWorking = true
  const every = (paceMs, step) => {
    let count = 0
    const loop = async () => {
      while (isWorking) {
        await step(count++)
        await sleep(paceMs)
      }
    }
    return loop()
  }
  const work = [
    ...members.map(({ userId }) => every(PACE_MS, toggleSeat({ ...seat, userId }))),
    ...chains.map((chain) => every(PACE_MS * 3, keepChain(chain))),
    every(PACE_MS, invite(owner, acme)),
    every(PACE_MS, invite(owner, acme)),
    every(PACE_MS * 2, rename(owner, acme)),
    every(PACE_MS * 4, makeTenant(owner)),
    every(8_000, register),
  ]
  return async () => {
    isWorking = false
    await Promise.all(work)
    return { owner, ops, acme, seat }
  }
}

const expectAnswer = (answer, expected, what) => {
  if (expected.includes(answer.status)) return true
  done.unexpected.push(`${what}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`)
  return false
}

/** Grants a seat and takes it back, in turns. */
function toggleSeat(seat) {
  return async () => {
    const known = done.seats.get(seat.userId) ?? { isHeld: false, changes: 0 }
    const headers = await machineHeaders()
    const verb = known.isHeld ? 'revoke' : 'grant'
    const answer = await insist('POST', `/api/integration/licenses/${verb}`, { headers, body: seat })
    const { error } = answer.body
    // Some hold a seat from the start. A request that a killed node did and could not answer was done.
    const isDone = known.changes === 0 || answer.isLost
    if (isDone && (error === 'ALREADY_LICENSED' || error === 'LICENSE_NOT_FOUND')) {
      const isCounted = known.changes > 0
      done.seats.set(seat.userId, { isHeld: verb === 'grant', changes: known.changes + (isCounted ? 1 : 0) })
      return
    }
    if (!expectAnswer(answer, [200, 201], `${verb} of a seat, attempt ${answer.attempts}`)) return
    done.seats.set(seat.userId, { isHeld: verb === 'grant', changes: known.changes + 1 })
  }
}

let token
/** A token of the machine, renewed before it ends. */
async function machineHeaders() {
  if (!token || Date.now() - token.at > 240_000)
    token = { at: Date.now(), headers: await machine('demo-machine') }
  return token.headers
}

/** A client that refreshes again and again, and asks who it is in between. */
function keepChain(chain) {
  let { refresh_token: refreshToken, access_token: accessToken } = chain
  let isLost = false
  return async () => {
    if (isLost) return
    const form = { grant_type: 'refresh_token', client_id: 'demo-spa', refresh_token: refreshToken }
    const answer = await insist('POST', '/api/oauth/token', { form })
    if (answer.status !== 200) {
      isLost = true
      done.lostChains.push(`${answer.status} ${JSON.stringify(answer.body)} at attempt ${answer.attempts}`)
      return
    }
    done.refreshes += 1
    ;({ refresh_token: refreshToken, access_token: accessToken } = answer.body)
    const who = await ask('GET', '/api/oauth/userinfo', {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    if (who.status === 401) done.falseRefusals.push(JSON.stringify(who.body))
  }
}

function invite(owner, tenant) {
  const start = Math.random().toString(36).slice(2)
  return async (count) => {
    const email = `guest-${start}-${count}@people.test`
    const path = `/api/tenants/${tenant}/invitations`
    const answer = await insist('POST', path, { headers: owner, body: { email, role: 'member' } })
    // A node that was killed may have done it, and not have kept the answer.
    if (!expectAnswer(answer, answer.isLost ? [201, 409] : [201], 'an invitation')) return
    done.invited.add(email)
    if (count % 3 !== 0 || answer.status === 409) return
    const ended = await insist('DELETE', `${path}/${answer.body.id}`, { headers: owner })
    // Repeated, it is gone already.
    const isDone = ended.attempts > 1 ? [200, 204, 404, 409] : [200, 204]
    if (expectAnswer(ended, isDone, `an invitation taken back, attempt ${ended.attempts}`))
      done.canceled.add(email)
  }
}

function rename(owner, tenant) {
  return async (count) => {
    const name = `Acme ${count}`
    const answer = await insist('PATCH', `/api/tenants/${tenant}`, { headers: owner, body: { name } })
    if (expectAnswer(answer, [200], 'a new name')) done.renamed.push(name)
  }
}

function makeTenant(owner) {
  return async (count) => {
    const slug = `made-${Date.now().toString(36)}-${count}`
    const answer = await insist('POST', '/api/tenants', { headers: owner, body: { name: slug, slug } })
    if (answer.status === 429) return
    if (!expectAnswer(answer, [201], 'a tenant')) return
    done.tenants.add(answer.body.id)
    if (count % 2 !== 0) return
    const ended = await insist('DELETE', `/api/tenants/${answer.body.id}`, { headers: owner })
    const isDone = ended.attempts > 1 ? [200, 202, 204, 404] : [200, 202, 204]
    if (expectAnswer(ended, isDone, `a tenant deleted, attempt ${ended.attempts}`))
      done.deleted.add(answer.body.id)
  }
}

async function register(count) {
  const email = `new-${Date.now().toString(36)}-${count}@people.test`
  const body = { email, password: 'a-password-of-the-drill-2026', givenName: 'New', familyName: 'Person' }
  const answer = await insist('POST', '/api/auth/register', { body })
  if (answer.status === 429) return
  if (expectAnswer(answer, [200, 201, 202], 'a registration')) done.registered.add(email)
}
