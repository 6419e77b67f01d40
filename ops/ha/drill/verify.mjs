// After the drill: is everything that was acknowledged there, once?
import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from './client.mjs'
import { done } from './work.mjs'

/** What is wrong, in words; empty when all is well. */
export async function verify({ owner, ops, acme }, { mails, events }) {
  return {
    seats: await verifySeats({ ops, acme }),
    invitations: await verifyInvitations({ owner, acme }),
    tenants: await verifyTenants({ owner }),
    accounts: await verifyAccounts({ ops }),
    mail: await eventually(() => missing(done.invited, new Set(mails()), 'mail')),
    webhooks: await eventually(() => missing(done.renamed, new Set(events()), 'event')),
  }
}

/** Deliveries may be on their way still; a mail that a killed node was sending is taken over after five minutes. */
async function eventually(check, patienceMs = 420_000) {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const problems = check()
    if (problems.length === 0 || Date.now() > deadline) return problems
    await sleep(500)
  }
}

const missing = (expected, found, what) =>
  [...expected].filter((one) => !found.has(one)).map((one) => `no ${what} for ${one}`)

/** The seats that are held follow from the ledger, and both from the answers. */
async function verifySeats({ ops, acme }) {
  const entries = []
  for (let after = 0; ; ) {
    const { body } = await ask('GET', `/api/licensing/tenants/${acme}/ledger?after=${after}&limit=1000`, {
      headers: ops,
    })
    entries.push(...body.entries)
    if (body.entries.length === 0) break
    after = body.entries.at(-1).sequence
  }
  const problems = []
  entries.forEach(({ sequence }, index) => {
    if (sequence !== index + 1) problems.push(`the ledger has ${sequence} in place ${index + 1}`)
  })
  for (const [userId, { isHeld, changes }] of done.seats) {
    const own = entries.filter((entry) => entry.subject === 'seat' && entry.userId === userId)
    const changed = own.filter(({ before, after }) => (before === null) !== (after === null))
    // One of them may have been held by the demo from the start.
    const starts = changed.length - changes
    if (starts !== 0 && starts !== 1)
      problems.push(`${changed.length} changes in the ledger, ${changes} acknowledged`)
    if ((changed.at(-1)?.after !== null) !== isHeld)
      problems.push(`the last change of ${userId} is not the last answer`)
  }
  return problems
}

async function verifyInvitations({ owner, acme }) {
  const counts = new Map()
  for (let page = 1; ; page++) {
    const path = `/api/tenants/${acme}/invitations?page=${page}&limit=100`
    const { body } = await ask('GET', path, { headers: owner })
    if (!body.invitations?.length) break
    for (const { email, status } of body.invitations)
      counts.set(email, [...(counts.get(email) ?? []), status])
  }
  return [...done.invited].flatMap((email) => {
    const expected = done.canceled.has(email) ? 0 : 1
    const pending = (counts.get(email) ?? []).filter((status) => status === 'PENDING').length
    return pending === expected ? [] : [`${email} has ${pending} open invitations, not ${expected}`]
  })
}

async function verifyTenants({ owner }) {
  const { body } = await ask('GET', '/api/tenants', { headers: owner })
  const there = new Set(body.tenants.map(({ id }) => id))
  const made = [...done.tenants].filter((id) => there.has(id) === done.deleted.has(id))
  return made.map(
    (id) => `tenant ${id} ${there.has(id) ? 'was deleted and is there' : 'was made and is not there'}`,
  )
}

async function verifyAccounts({ ops }) {
  const problems = []
  for (const email of done.registered) {
    const { body } = await ask('GET', `/api/admin/users?search=${encodeURIComponent(email)}`, {
      headers: ops,
    })
    const count = body.users.filter((user) => user.email === email).length
    if (count !== 1) problems.push(`${email} has ${count} accounts`)
  }
  return problems
}
