interface LeaseOptions {
  /** The duration of the lease in the database. */
  leaseMs: number
  renewalMs: number
  /** After this time the holder is considered stuck and loses the lease. */
  maxMs?: number
}

/**
 * Renews a lease until `end` is called. `renew` returns false if another node holds it. `lost` aborts when another node
 * may hold it.
 */
export function keepLease(
  { leaseMs, renewalMs, maxMs = Number.POSITIVE_INFINITY }: LeaseOptions,
  renew: () => Promise<boolean>,
): { lost: AbortSignal; end(): void } {
  const lost = new AbortController()
  const startedAt = performance.now()
  let renewedAt = startedAt
  const tick = async () => {
    const at = performance.now()
    if (at - renewedAt > leaseMs || at - startedAt > maxMs) return lost.abort()
    // A renewal that fails is tried again; if none succeeds in time, the lease has expired.
    const renewed = await renew().catch(() => undefined)
    if (renewed) renewedAt = at
    else if (renewed === false) lost.abort()
  }
  const timer = setInterval(() => void (lost.signal.aborted || tick()), renewalMs)
  return { lost: lost.signal, end: () => clearInterval(timer) }
}
