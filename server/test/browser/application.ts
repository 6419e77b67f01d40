import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestService } from '../support/service.ts'
import { admin, thirdParty } from '../support/world.ts'

/** An application on another origin, to which demo-spa and a third-party client redirect. */
export interface Application {
  callback: string
  partnerClientId: string
  close(): Promise<void>
}

export async function startApplication(service: TestService): Promise<Application> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<title>App</title><h1>Back in the application</h1>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const callback = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
  const partner = await thirdParty(service.url)
  const spa = await service.ctx.db
    .selectFrom('clients')
    .select('id')
    .where('client_id', '=', 'demo-spa')
    .executeTakeFirstOrThrow()
  for (const { id } of [partner, spa])
    await admin(service.url, `/api/admin/clients/${id}`, { redirectUris: [callback] }, 'PATCH')
  return {
    callback,
    partnerClientId: partner.clientId,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
