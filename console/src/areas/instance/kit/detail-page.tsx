import { LatchkeyError } from '@latchkey/client/error'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { NotFound } from '../../../ui/not-found.tsx'
import { Page } from '../../../ui/page.tsx'
import { QueryContent } from '../../../ui/states.tsx'

/** The page of one resource, with loading and not-found states. */
export function DetailPage<T>({
  query,
  title,
  children,
}: {
  query: UseQueryResult<T>
  /** The title until the resource is loaded. */
  title: string
  children: (data: NonNullable<T>) => ReactNode
}) {
  if (query.error instanceof LatchkeyError && query.error.status === 404) return <NotFound />
  if (query.data !== undefined && query.data !== null) return children(query.data)
  return (
    <Page title={title}>
      <QueryContent query={query} skeletonRows={5} skeletonHeight={88}>
        {children}
      </QueryContent>
    </Page>
  )
}
