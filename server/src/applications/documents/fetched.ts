import type { IncomingHttpHeaders } from 'node:http'
import type { Ctx } from '../../context.ts'
import { inEnglish } from '../../languages/current-language.ts'
import { createFetchCache, type FetchCache, UnusableResponse } from '../../lib/outgoing/fetch-cache.ts'
import { AddressRefused } from '../../lib/outgoing/guard.ts'
import { type ClientDocument, parseClientDocument } from './metadata.ts'

/** The size that the draft recommends. */
const MAX_BYTES = 5 * 1024

/** What is wrong with a document: "is not JSON". The cause is for the log only. */
export interface DocumentProblem {
  problem: string
  cause: string
}

type Cached = { document: ClientDocument } | DocumentProblem

const caches = new WeakMap<Ctx, FetchCache<Cached>>()

/** The documents of clients, as long as their headers allow. Failures are cached too. */
export function documentsOf(ctx: Ctx): FetchCache<Cached> {
  const existing = caches.get(ctx)
  if (existing) return existing
  const created = createFetchCache<Cached>({
    config: ctx.config.outsideClients,
    now: () => ctx.now(),
    accept: 'application/json',
    maxBytes: MAX_BYTES,
    // Failures are shared by all who ask, and logged.
    parse: (body: Buffer, headers: IncomingHttpHeaders, url: string) => ({
      document: inEnglish(() => parseClientDocument(url, body, headers)),
    }),
    onFailure(error, clientId) {
      const problem = describeFailure(error)
      ctx.log.warn({ clientId, ...problem }, 'the document of a client cannot be used')
      return problem
    },
  })
  caches.set(ctx, created)
  return created
}

/** Whoever asks must not learn from the answer what is in the network of this service. */
function describeFailure(error: unknown): DocumentProblem {
  if (error instanceof UnusableResponse) return { problem: error.message, cause: error.message }
  const cause = error instanceof AddressRefused ? 'its address is not public' : String(error)
  return { problem: 'cannot be fetched', cause }
}
