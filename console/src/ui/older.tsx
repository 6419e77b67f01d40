import { Button } from '@mantine/core'

interface OlderProps {
  label: string
  /** A list that is read part by part. */
  query: { fetchNextPage: () => Promise<unknown>; isFetchingNextPage: boolean }
}

/** The way to the next part of a list that has no pages. */
export const Older = ({ label, query }: OlderProps) => (
  <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
    {label}
  </Button>
)
