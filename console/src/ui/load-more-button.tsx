import { Button } from '@mantine/core'

interface LoadMoreButtonProps {
  label: string
  /** An infinite query. */
  query: { fetchNextPage: () => Promise<unknown>; isFetchingNextPage: boolean }
}

/** Loads the next page of an infinite list. */
export const LoadMoreButton = ({ label, query }: LoadMoreButtonProps) => (
  <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
    {label}
  </Button>
)
