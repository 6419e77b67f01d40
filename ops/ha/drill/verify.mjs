// Verifies that every acknowledged change exists exactly once.
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from './client.mjs'
import { acknowledged } from './work.mjs'

/** Returns the problems by kind. */
export async function verify({ owner, ops, acme }, { mails, events }) {
  return {
    seats: await verifySeats({ ops, acme }),
    invitations: await verifyInvitations({ owner, acme }),
    tenants: await verifyTenants({ owner }),
    accounts: await verifyAccounts({ ops }),
    mail: await eventually(() => findMissing(acknowledged.invited, new Set(mails()), 'mail')),
    webhooks: await eventually(() => findMissing(acknowledged.renamed, new Set(events()), 'event')),
  }
}

/** Waits for deliveries in progress. Mail of a killed node is retried after five minutes. */
async function eventually(check, timeoutMs = 420_000) {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const problems = check()
    if (problems.length === 0 || Date.now() > deadline) return problems
    await sleep(500)
  }
}

const findMissing = (expected, found, what) =>
  [...expected].filter((entry) => !found.has(entry)).map((entry) => `no ${what} for ${entry}`)

/** The ledger must have no gaps and must match the acknowledged changes. */
async function verifySeats({ ops, acme }) {
  const entries = []
  for (let after = 0; ; ) {
    const { body } = await send('GET', `/api/licensing/tenants/${acme}/ledger?after=${after}&limit=1000`, {
      headers: ops,
    })
    entries.push(...body.entries)
    if (body.entries.length === 0) break
    after = body.entries.at(-1).sequence
  }
  const problems = []
  entries.forEach(({ sequence }, index) => {
    if (sequence !== index + 1) problems.push(`the ledger has sequence ${sequence} at position ${index + 1}`)
  })
  for (const [userId, { isHeld, changes }] of acknowledged.seats) {
    const seatEntries = entries.filter((entry) => entry.subject === 'seat' && entry.userId === userId)
    const changed = seatEntries.filter(({ before, after }) => (before === null) !== (after === null))
    // The demo data may contain one seat of the user.
    const initialSeats = changed.length - changes
    if (initialSeats !== 0 && initialSeats !== 1)
      problems.push(`${changed.length} changes in the ledger, ${changes} acknowledged`)
    if ((changed.at(-1)?.after !== null) !== isHeld)
      problems.push(`the last change of ${userId} is not the acknowledged one`)
  }
  return problems
}

async function verifyInvitations({ owner, acme }) {
  const counts = new Map()
  for (let page = 1; ; page++) {
    const path = `/api/tenants/${acme}/invitations?page=${page}&limit=100`
    const { body } = await send('GET', path, { headers: owner })
    if (!body.invitations?.length) break
    for (const { email, status } of body.invitations) counts.set(email, [...(counts.get(email) ?? []), status])
  }
  return [...acknowledged.invited].flatMap((email) => {
    const expected = acknowledged.canceled.has(email) ? 0 : 1
    const pending = (counts.get(email) ?? []).filter((status) => status === 'PENDING').length
    return pending === expected ? [] : [`${email} has ${pending} pending invitations, not ${expected}`]
  })
}

async function verifyTenants({ owner }) {
  const { body } = await send('GET', '/api/tenants', { headers: owner })
  const existing = new Set(body.tenants.map(({ id }) => id))
  const wrong = [...acknowledged.tenants].filter((id) => existing.has(id) === acknowledged.deleted.has(id))
  return wrong.map(
    (id) => `tenant ${id} ${existing.has(id) ? 'was deleted and still exists' : 'was created and does not exist'}`,
  )
}

async function verifyAccounts({ ops }) {
  const problems = []
  for (const email of acknowledged.registered) {
    const { body } = await send('GET', `/api/admin/users?search=${encodeURIComponent(email)}`, {
      headers: ops,
    })
    const count = body.users.filter((user) => user.email === email).length
    if (count !== 1) problems.push(`${email} has ${count} accounts`)
  }
  return problems
}
