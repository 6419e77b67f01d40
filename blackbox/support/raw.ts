import { request } from 'node:http'
import { baseUrl } from './service.ts'

interface RawRequest {
  method?: string
  /** Alternating names and values, sent unchanged, including repeated headers and Host. */
  headers?: string[]
  body?: string
}

/** For requests that fetch cannot send: other hosts, repeated headers, TRACE. */
export function rawRequest(path: string, { method = 'GET', headers = [], body = '' }: RawRequest = {}) {
  const { hostname, port, host } = new URL(baseUrl)
  const hosted = headers.some((header) => header.toLowerCase() === 'host') ? headers : ['Host', host, ...headers]
  return new Promise<{ status: number; location: string | undefined; text: string }>((resolve, reject) => {
    const sent = [...hosted, 'Content-Length', String(Buffer.byteLength(body)), 'Connection', 'close']
    const message = request({ hostname, port, path, method, headers: sent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, location: response.headers.location, text }))
    })
    message.on('error', reject)
    message.end(body)
  })
}
