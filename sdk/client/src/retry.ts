export interface RetryOptions {
  /** How often a request is repeated at most. Default: 3. */
  maxRetries?: number
  fetch?: typeof fetch
}

const MAX_WAIT_SECONDS = 30

/**
 * Returns a `fetch` that repeats requests. After 429 and 503 it waits as long as `Retry-After` says, up to 30 seconds:
 * the service did nothing then, so every method is repeated. After a failed connection it repeats only GET and requests
 * with an `Idempotency-Key`, because the service may have done the work.
 *
 * @example
 * const send = withRetry({ maxRetries: 5 })
 * const response = await send('https://id.example.com/api/oauth/jwks')
 */
export const withRetry =
  ({ maxRetries = 3, fetch: send = fetch }: RetryOptions = {}): typeof fetch =>
  async (input, init = {}) => {
    const isRepeatable = (init.method ?? 'GET') === 'GET' || new Headers(init.headers).has('idempotency-key')
    for (let retries = 0; ; retries++) {
      const isLast = retries >= maxRetries
      try {
        const response = await send(input, init)
        const seconds = findRetryAfter(response)
        if (seconds === undefined || isLast) return response
        await response.body?.cancel()
        await sleep(seconds * 1_000, init.signal)
      } catch (error) {
        if (isLast || !isRepeatable || init.signal?.aborted) throw error
        await sleep(200 * 2 ** retries, init.signal)
      }
    }
  }

/** Seconds to wait before the request is repeated; undefined if it is not. */
function findRetryAfter({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 && seconds <= MAX_WAIT_SECONDS ? seconds : undefined
}

const sleep = (ms: number, signal: AbortSignal | null | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
