import { Anchor, Skeleton, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useApiQuery } from '../../../api/use-api.ts'
import { LINK } from '../../../ui/link-color.ts'

/** A link to a user, with the name loaded by id. */
export function UserLink({ id, fallback }: { id: string; fallback: string }) {
  const { data, isError } = useApiQuery('GET /api/admin/users/{id}', { input: { path: { id } } })
  if (isError) {
    return (
      <Text span size="sm" c="dimmed">
        {fallback}
      </Text>
    )
  }
  if (!data) return <Skeleton component="span" display="inline-block" h={12} w={90} />
  return (
    <Anchor component={Link} href={`/users/${id}`} size="sm" c={LINK}>
      {data.displayName}
    </Anchor>
  )
}
