import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClientDocumentConfig } from '../../src/config/client-documents.ts'
import type { TestService } from '../support/service.ts'
import { authorize } from '../support/world.ts'

export const REDIRECT = 'http://127.0.0.1/callback'
/** The system chose this port for the app. */
export const REDIRECT_WITH_PORT = 'http://127.0.0.1:49152/callback'

/** The configuration of a service that may fetch documents from this computer. */
export const documentConfig = (documents: Partial<ClientDocumentConfig> = {}) => ({
  outsideClients: { allowedNetworks: ['127.0.0.0/8'] },
  clientDocuments: { mode: 'on' as const, allowedHosts: [], deniedHosts: [], ...documents },
})

export type Respond = (response: ServerResponse, request: IncomingMessage) => void

export interface Publisher {
  /** A new URL at which this is answered. */
  publish(respond: Respond): string
  /** A new URL with a document of a client. */
  publishDocument(draft?: object, headers?: Record<string, string>): string
  /** Changes the response at a URL. */
  change(url: string, respond: Respond): void
  requestsFor(url: string): number
  close(): void
}

/** Responds with a document. */
export const respondWith =
  (document: unknown, headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(document))

export const documentOf = (url: string, draft: object = {}) => ({
  client_id: url,
  client_name: 'Editor',
  redirect_uris: [REDIRECT],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  ...draft,
})

/** A web server with documents. */
export async function startPublisher(): Promise<Publisher> {
  const responses = new Map<string, Respond>()
  const requests = new Map<string, number>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.set(path, (requests.get(path) ?? 0) + 1)
    const respond = responses.get(path)
    if (respond) respond(response, request)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let count = 0
  const publish = (respond: Respond) => {
    const path = `/clients/${++count}`
    responses.set(path, respond)
    return origin + path
  }
  const pathOf = (url: string) => new URL(url).pathname
  return {
    publish,
    publishDocument(draft, headers) {
      const url = publish(() => undefined)
      responses.set(pathOf(url), respondWith(documentOf(url, draft), headers))
      return url
    },
    change: (url, respond) => responses.set(pathOf(url), respond),
    requestsFor: (url) => requests.get(pathOf(url)) ?? 0,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const decode = (text = '') => text.replaceAll('&amp;', '&')

interface ConsentPage {
  html: string
  /** Submits the form and returns the parameters that the client receives. */
  decide(decision: 'allow' | 'deny'): Promise<Record<string, string | undefined>>
}

/** Opens the consent page of an authorization request. */
export async function openConsent(
  { url }: Pick<TestService, 'url'>,
  cookie: string,
  parameters: Record<string, string>,
): Promise<ConsentPage> {
  const { response, location } = await authorize(url, cookie, { redirect_uri: REDIRECT_WITH_PORT, ...parameters })
  const html = await response.text()
  if (!html.includes('name="decision"')) throw new Error(`no consent page: ${response.status} ${location} ${html}`)
  const cookies = [cookie, ...response.headers.getSetCookie().map((entry) => entry.split(';')[0])].join('; ')
  return {
    html,
    async decide(decision) {
      const posted = await fetch(new URL(decode(/<form method="post" action="([^"]+)"/.exec(html)?.[1]), url), {
        method: 'POST',
        body: new URLSearchParams({ csrf: /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '', decision }),
        headers: { cookie: cookies, origin: url },
        redirect: 'manual',
      })
      const location = posted.headers.get('location')
      if (!location) throw new Error(`no redirect: ${posted.status} ${await posted.text()}`)
      const next = new URL(location, url)
      if (next.origin !== new URL(url).origin) return Object.fromEntries(next.searchParams)
      const done = await fetch(next, { headers: { cookie: cookies }, redirect: 'manual' })
      const target = done.headers.get('location')
      if (!target) throw new Error(`no redirect: ${done.status} ${await done.text()}`)
      return Object.fromEntries(new URL(target, url).searchParams)
    },
  }
}
