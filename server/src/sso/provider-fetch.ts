import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { PROVIDER_REQUESTS } from './figures.ts'
import { limitedFetch } from './limited-fetch.ts'

/** Asks a provider, and notes how that went. What was asked, and of whom, stays out of the notes. */
export const fetchFrom =
  ({ tracer, figures }: Pick<Ctx, 'tracer' | 'figures'>, { name: provider }: SsoProvider) =>
  (url: string, options: object): Promise<Response> => {
    const { method = 'GET' } = options as { method?: string }
    const facts = { 'http.request.method': method, 'server.address': new URL(url).hostname }
    return tracer.trace(`ask ${provider}`, { kind: 'client', facts }, async (span) => {
      const count = (outcome: 'ok' | 'failed') => figures.count(PROVIDER_REQUESTS, { provider, outcome })
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
