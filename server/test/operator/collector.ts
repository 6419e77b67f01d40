import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '../support/eventually.ts'

export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: number
  failed: boolean
  facts: Record<string, unknown>
}

export interface Collector {
  url: string
  /** The bodies of all requests. */
  texts: string[]
  headers: Record<string, unknown>[]
  spans(): ReceivedSpan[]
  /** Waits for a span of this name. */
  finds(name: string): Promise<ReceivedSpan>
  close(): Promise<void>
}

interface Attribute {
  key: string
  value: Record<string, unknown>
}
interface TraceRequest {
  resourceSpans: {
    scopeSpans: {
      spans: (Omit<ReceivedSpan, 'facts' | 'failed'> & {
        attributes: Attribute[]
        status: { code: number }
      })[]
    }[]
  }[]
}

const toAttributes = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** An OTLP/HTTP collector that keeps all spans. */
export async function startCollector(): Promise<Collector> {
  const texts: string[] = []
  const headers: Record<string, unknown>[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += chunk
    })
    request.on('end', () => {
      if (request.url === '/v1/traces') texts.push(text)
      headers.push(request.headers)
      response.setHeader('Content-Type', 'application/json')
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const spans = () =>
    texts
      .flatMap((text) => (JSON.parse(text) as TraceRequest).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
      .map(({ attributes, status, parentSpanId, ...span }) => ({
        ...span,
        parentSpanId: parentSpanId || undefined,
        failed: status.code === 2,
        facts: toAttributes(attributes),
      }))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts,
    headers,
    spans,
    finds: (name) => eventually(async () => spans().find((span) => span.name === name)),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
