import type { UseQueryResult } from '@tanstack/react-query'
import { LatchkeyError } from 'latchkey-sdk/error'
import type { ReactNode } from 'react'
import { NotFound } from '../../../ui/not-found.tsx'
import { Page } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'

/** One thing by its id: what is not there has its own page, and what is on its way keeps its room. */
export function Found<T>({
  query,
  title,
  children,
}: {
  query: UseQueryResult<T>
  /** What kind of thing it is, until it is here. */
  title: string
  children: (found: NonNullable<T>) => ReactNode
}) {
  if (query.error instanceof LatchkeyError && query.error.status === 404) return <NotFound />
  if (query.data !== undefined && query.data !== null) return children(query.data)
  return (
    <Page title={title}>
      <Loaded query={query} rows={5} height={88}>
        {children}
      </Loaded>
    </Page>
  )
}
