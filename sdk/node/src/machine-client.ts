import { type Client, createClient } from '@latchkey/client'
import { createMachineToken, type MachineOptions } from './machine-token.ts'

/**
 * Creates a typed client for every route of Latchkey that acts as a machine client. It requests and renews its access
 * token, repeats requests after 429 and 503, and sends an Idempotency-Key where a route accepts one.
 *
 * @example
 * const client = createMachineClient({ issuer: 'http://localhost:3000', clientId: 'demo-machine', clientSecret })
 * const seat = await client.call('POST /api/integration/licenses/grant', { body: { userId, applicationId, licenseTypeId } })
 */
export const createMachineClient = (options: MachineOptions): Client =>
  createClient({
    baseUrl: options.issuer,
    token: createMachineToken(options),
    ...(options.fetch && { fetch: options.fetch }),
  })
