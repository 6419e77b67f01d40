import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that must not be requested by the service. Counts the requests. */
export async function startCanary(body: object = {}) {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/canary`,
    requests: () => requests,
    close: () => server.close(),
  }
}
