import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { call } from '../account/people.ts'
import { startService, type TestService } from '../support/service.ts'
import { admin, machineToken, startDemoService } from '../support/world.ts'

export interface RegisteredClient {
  id: string
  clientId: string
  clientSecret: string
}

/** Two nodes on one database. Changes are made on `here`. */
export interface TwoNodes {
  here: TestService
  there: TestService
  /** Waits until all commits so far are announced to both nodes. */
  changesAnnounced(): Promise<void>
  /** Registers a client in a new application, so that a test can change either. */
  newClient(draft: object): Promise<{ applicationId: string; client: RegisteredClient }>
  /** Calls an administration route as a machine client. */
  patch(path: string, body: object): Promise<unknown>
  remove(path: string): Promise<void>
  /** The response statuses of a GET request on both nodes. */
  statuses(path: string, accessToken: string): Promise<number[]>
  close(): Promise<void>
}

export async function startTwoNodes(): Promise<TwoNodes> {
  const here = await startDemoService()
  const there = await startService({ sameDatabaseAs: here })
  return {
    here,
    there,
    async changesAnnounced() {
      for (const { ctx } of [here, there]) await ctx.changes.waitUntilCurrent()
    },
    async newClient(draft) {
      const name = `Application ${randomUUID()}`
      const { id: applicationId } = await admin<{ id: string }>(here.url, '/api/admin/applications', { name })
      const body = { applicationId, name: 'Client', ...draft }
      return { applicationId, client: await admin<RegisteredClient>(here.url, '/api/admin/clients', body) }
    },
    patch: (path, body) => admin(here.url, `/api/admin${path}`, body, 'PATCH'),
    async remove(path) {
      const headers = { authorization: `Bearer ${await machineToken(here.url, 'demo-ops')}` }
      expect((await call(`${here.url}/api/admin${path}`, { method: 'DELETE', headers })).status).toBe(200)
    },
    async statuses(path, accessToken) {
      const headers = { authorization: `Bearer ${accessToken}` }
      const getStatus = async ({ url }: TestService) => (await fetch(url + path, { headers })).status
      return [await getStatus(there), await getStatus(here)]
    },
    async close() {
      await there.close()
      await here.close()
    },
  }
}
