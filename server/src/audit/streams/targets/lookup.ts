import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'

let lastLookup: Promise<unknown> = Promise.resolve()

/**
 * Looks up one name at a time. getaddrinfo runs in a small thread pool, which password hashes use too. If name servers
 * do not answer, the lookups for targets block only one of its threads.
 */
export const lookupInTurn: LookupFunction = (hostname, options, done) => {
  const addresses = lastLookup.then(() => lookup(hostname, { all: true }))
  lastLookup = addresses.catch(() => {})
  addresses.then(
    (found) => {
      if (options.all) done(null, found)
      else done(null, found[0]?.address ?? '', found[0]?.family)
    },
    (error: NodeJS.ErrnoException) => done(error, '', 0),
  )
}
