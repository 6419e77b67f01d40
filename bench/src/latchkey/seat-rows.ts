import type { Program, Request, Row, Talk } from '../row.ts'
import { bearer, getMachineToken, JSON_BODY } from './callers.ts'
import { PEOPLE, personEmail, SMALL_TENANTS, seatHolderEmail, smallMachine } from './world.ts'

/** Seats: every other request grants one, the next takes it back, so that each is a change that is written. */

const LICENSES = '/api/integration/licenses'

function inTurn({ facts }: Program, email: string, token: string): Talk {
  const { applicationId, licenseTypeId } = facts
  const userId: string = JSON.parse(facts.people ?? '{}')[email]
  const headers = { ...JSON_BODY, ...bearer(token) }
  const ask = (verb: string, body: object): Request => ({
    method: 'POST',
    path: `${LICENSES}/${verb}`,
    headers,
    body: JSON.stringify(body),
  })
  const grant = ask('grant', { userId, applicationId, licenseTypeId })
  const revoke = ask('revoke', { userId, applicationId })
  let holds = false
  return {
    request: () => (holds ? revoke : grant),
    check({ status, body }) {
      const isRight = holds ? status === 200 : status === 201 && JSON.parse(body).userId === userId
      holds = !holds
      return isRight ? undefined : 'a seat was not granted or not taken back'
    },
  }
}

async function prepareMany(program: Program, connections: number): Promise<Talk[]> {
  const talks: Talk[] = []
  for (let index = 0; index < Math.min(connections, SMALL_TENANTS); index++) {
    const token = await getMachineToken(program, smallMachine(index))
    talks.push(inTurn(program, seatHolderEmail(index), token))
  }
  return talks
}

async function prepareOne(program: Program, connections: number): Promise<Talk[]> {
  const token = await getMachineToken(program, 'bench-machine')
  const free = Math.min(connections, PEOPLE / 2)
  return Array.from({ length: free }, (_, index) => inTurn(program, personEmail(PEOPLE / 2 + index), token))
}

export const seatRows: Row[] = [
  {
    ...{ id: 'seat-grant', name: 'Seat granted, then revoked', program: 'latchkey', prepare: prepareMany },
    compare: [{ with: 'fastify-insert', least: 0.5 }],
  },
  {
    ...{ id: 'seat-grant-one-tenant', name: 'The same, all in one tenant', program: 'latchkey' },
    prepare: prepareOne,
    compare: [{ with: 'fastify-insert' }],
  },
]
