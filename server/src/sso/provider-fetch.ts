import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { limitedFetch } from './limited-fetch.ts'
import { PROVIDER_REQUESTS } from './metrics.ts'

/** A fetch for requests to a provider, with a trace span and a metric. Neither contains the path or the body. */
export const createProviderFetch =
  ({ tracer, metrics }: Pick<Ctx, 'tracer' | 'metrics'>, { name: provider }: SsoProvider) =>
  (url: string, options: object): Promise<Response> => {
    const { method = 'GET' } = options as { method?: string }
    const attributes = { 'http.request.method': method, 'server.address': new URL(url).hostname }
    return tracer.trace(`ask ${provider}`, { kind: 'client', attributes }, async (span) => {
      const count = (outcome: 'ok' | 'failed') => metrics.count(PROVIDER_REQUESTS, { provider, outcome })
      const response = await limitedFetch(url, options).catch((error: unknown) => {
        count('failed')
        throw error
      })
      const { status } = response
      count(status >= 500 ? 'failed' : 'ok')
      span.add({ 'http.response.status_code': status })
      if (status >= 500) span.fail(String(status))
      return response
    })
  }
