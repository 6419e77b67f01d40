import { expect, test } from 'vitest'
import { connectTo, initializedFolder, postmasterOf, startDemo } from '../support/demo.ts'
import { FULL, rounds } from '../support/rounds.ts'
import { machineToken } from '../support/world.ts'

interface Seat {
  userId: string
  applicationId: string
  licenseTypeId: string
}

test.runIf(FULL)('a granted or revoked seat survives a crash right after the response', async () => {
  const folder = await initializedFolder()
  let seat: Seat | undefined
  for (let round = 0; round < rounds(4).length; round++) {
    const program = await startDemo(folder)
    const verb = round % 2 === 0 ? 'revoke' : 'grant'
    seat ??= await findSeat(folder)
    const { isHeld, revision } = await readSeat(folder, seat)
    // The result of the previous round.
    expect(isHeld).toBe(verb === 'revoke')
    const url = `http://localhost:${program.port}`
    const response = await fetch(`${url}/api/integration/licenses/${verb}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${await machineToken(url, 'demo-machine')}`,
      },
      body: JSON.stringify(seat),
    })
    process.kill(postmasterOf(folder), 'SIGKILL')
    program.child.kill('SIGKILL')
    expect(response.status).toBe(verb === 'revoke' ? 200 : 201)
    expect(Number(response.headers.get('X-License-Revision'))).toBe(revision + 1)
    await program.exited
  }
})

async function findSeat(folder: string): Promise<Seat> {
  const { rows } = await query<Seat>(
    folder,
    `select user_id as "userId", seats.application_id as "applicationId", license_type_id as "licenseTypeId"
     from seats join clients on clients.tenant_id = seats.tenant_id
     where clients.client_id = 'demo-machine' and seats.status = 'ASSIGNED' limit 1`,
  )
  const [seat] = rows
  if (!seat) throw new Error('nobody in the demo has a seat')
  return seat
}

/** Whether the seat is held, and the revision of the ledger. */
async function readSeat(
  folder: string,
  { userId, applicationId }: Seat,
): Promise<{ isHeld: boolean; revision: number }> {
  const { rows } = await query<{ isHeld: boolean; revision: number }>(
    folder,
    `select exists (select from seats where user_id = $1 and application_id = $2) as "isHeld", revision::int
     from license_revisions join clients on clients.tenant_id = license_revisions.tenant_id
     where clients.client_id = 'demo-machine'`,
    [userId, applicationId],
  )
  const [found] = rows
  if (!found) throw new Error('the tenant of the demo has no ledger')
  return found
}

async function query<T extends object>(folder: string, text: string, values: unknown[] = []) {
  const client = await connectTo(folder)
  try {
    return await client.query<T>(text, values)
  } finally {
    await client.end()
  }
}
