import type { Input } from '@latchkey/client'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../../api/api.ts'
import { showError } from '../../../ui/notifications.tsx'
import { type MemberSeat, SEATS } from '../types.ts'
import type { SeenMembers } from './selection.ts'

/** The most rows of a bulk request of the API. */
export const MAX_BULK = 500
const PAGE_SIZE = 100

interface ListRequest {
  tenantId: string
  applicationId: string
  /** Search, filter and order. */
  query: Omit<NonNullable<Input<typeof SEATS>['query']>, 'page' | 'limit'>
}

/**
 * Loads every member that matches the search and the filter, up to the size of a bulk request. The caller selects these
 * members and shows their number, so that an action changes nobody who joins the list later.
 */
export function useMatching(request: ListRequest) {
  const key = JSON.stringify(request)
  const currentKey = useRef(key)
  useEffect(() => {
    currentKey.current = key
  }, [key])
  const [loadingKey, setLoadingKey] = useState<string>()
  return {
    busy: loadingKey === key,
    /** Undefined after an error, or if the person has changed the search or the filter meanwhile. */
    async load(): Promise<SeenMembers | undefined> {
      setLoadingKey(key)
      const seenAt = Date.now()
      try {
        const members = await loadMatching(request)
        return currentKey.current === key ? { members, seenAt } : undefined
      } catch (error) {
        if (currentKey.current === key) showError(error)
        return undefined
      } finally {
        setLoadingKey((loading) => (loading === key ? undefined : loading))
      }
    },
  }
}

export type Matching = ReturnType<typeof useMatching>

async function loadMatching({ tenantId, applicationId, query }: ListRequest): Promise<MemberSeat[]> {
  const found = new Map<string, MemberSeat>()
  const path = { id: tenantId, applicationId }
  for (let page = 1; found.size < MAX_BULK; page++) {
    const { seats, pagination } = await call(SEATS, { path, query: { ...query, page, limit: PAGE_SIZE } })
    for (const seat of seats.slice(0, MAX_BULK - found.size)) found.set(seat.userId, seat)
    if (page >= pagination.pages) break
  }
  return [...found.values()]
}
