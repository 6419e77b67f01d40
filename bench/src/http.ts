import { type Agent, request as send } from 'node:http'
import type { HttpRequest, HttpResponse } from './row.ts'

export interface ResponseWithCookies extends HttpResponse {
  cookies: string[]
}

/** Sends a request over a connection of the agent and reads the whole response. */
export function sendRequest(
  url: string,
  agent: Agent,
  { method, path, headers = {}, body = '' }: HttpRequest,
): Promise<ResponseWithCookies> {
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) }
    const outgoing = send(url + path, { method, agent, headers: { ...headers, ...length } }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk: string) => {
        text += chunk
      })
      incoming.on('error', reject)
      incoming.on('end', () => {
        const cookies = incoming.headers['set-cookie'] ?? []
        resolve({ status: incoming.statusCode ?? 0, body: text, cookies })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
