import { request } from 'node:http'
import { base } from './service.ts'

interface RawRequest {
  method?: string
  /** Name, value, name, value: sent as they are, repeated ones and Host included. */
  headers?: string[]
  body?: string
}

/** For what fetch refuses to send: other hosts, repeated headers, TRACE. */
export function rawRequest(path: string, { method = 'GET', headers = [], body = '' }: RawRequest = {}) {
  const { hostname, port, host } = new URL(base)
  const hosted = headers.some((header) => header.toLowerCase() === 'host')
    ? headers
    : ['Host', host, ...headers]
  return new Promise<{ status: number; location: string | undefined; text: string }>((resolve, reject) => {
    const sent = [...hosted, 'Content-Length', String(Buffer.byteLength(body)), 'Connection', 'close']
    const message = request({ hostname, port, path, method, headers: sent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, location: response.headers.location, text }),
      )
    })
    message.on('error', reject)
    message.end(body)
  })
}
