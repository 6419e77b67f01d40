import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An address that the service has no reason to visit; counts whether it does. */
export async function startCanary(answer: object = {}) {
  let visits = 0
  const server = createServer((_, response) => {
    visits++
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/canary`,
    visits: () => visits,
    close: () => server.close(),
  }
}
