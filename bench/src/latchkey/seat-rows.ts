import type { HttpRequest, Program, Row, Scenario } from '../row.ts'
import { bearer, getMachineToken, JSON_BODY } from './callers.ts'
import { APPLICANTS, applicantEmail, SMALL_TENANTS, seatHolderEmail, smallMachine } from './seed.ts'

/** Seats are granted and revoked alternately, so that every request writes a change. */

const LICENSES = '/api/integration/licenses'

function createSeatScenario({ outputs }: Program, email: string, token: string): Scenario {
  const { applicationId, licenseTypeId } = outputs
  const userId: string = JSON.parse(outputs.people ?? '{}')[email]
  const headers = { ...JSON_BODY, ...bearer(token) }
  const post = (verb: string, body: object): HttpRequest => ({
    method: 'POST',
    path: `${LICENSES}/${verb}`,
    headers,
    body: JSON.stringify(body),
  })
  const grant = post('grant', { userId, applicationId, licenseTypeId })
  const revoke = post('revoke', { userId, applicationId })
  let hasSeat = false
  return {
    request: () => (hasSeat ? revoke : grant),
    check({ status, body }) {
      const isValid = hasSeat ? status === 200 : status === 201 && JSON.parse(body).userId === userId
      hasSeat = !hasSeat
      return isValid ? undefined : 'the seat was not granted or not revoked'
    },
  }
}

async function prepareManyTenants(program: Program, connections: number): Promise<Scenario[]> {
  const scenarios: Scenario[] = []
  for (let index = 0; index < Math.min(connections, SMALL_TENANTS); index++) {
    const token = await getMachineToken(program, smallMachine(index))
    scenarios.push(createSeatScenario(program, seatHolderEmail(index), token))
  }
  return scenarios
}

async function prepareOneTenant(program: Program, connections: number): Promise<Scenario[]> {
  const token = await getMachineToken(program, 'bench-machine')
  const count = Math.min(connections, APPLICANTS)
  return Array.from({ length: count }, (_, index) => createSeatScenario(program, applicantEmail(index), token))
}

export const seatRows: Row[] = [
  {
    id: 'seat-grant',
    name: 'Seat granted, then revoked',
    program: 'latchkey',
    prepare: prepareManyTenants,
    compare: [{ with: 'fastify-insert', minRatio: 0.25 }],
  },
  {
    id: 'seat-grant-one-tenant',
    name: 'The same, all in one tenant',
    program: 'latchkey',
    prepare: prepareOneTenant,
    compare: [{ with: 'fastify-insert', minRatio: 0.2 }],
  },
]
