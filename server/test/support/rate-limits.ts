import type { TestService } from './service.ts'

/** How many attempts a rate limit has rejected, as the metrics say. */
export async function countRefusals({ ctx }: TestService, limiter: string): Promise<number> {
  const metric = ctx.metrics.registry.getSingleMetric('latchkey_rate_limit_refusals_total')
  const values = (await metric?.get())?.values ?? []
  return values.find(({ labels }) => labels.limiter === limiter)?.value ?? 0
}
