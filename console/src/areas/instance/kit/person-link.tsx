import { Anchor, Skeleton, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '../../../api/use-api.ts'
import { LINK } from '../../../ui/link-color.ts'

/** Somebody by id: their name, and the way to their account. */
export function PersonLink({ id, gone }: { id: string; gone: string }) {
  const { data, isError } = useRead('GET /api/admin/users/{id}', { input: { path: { id } } })
  if (isError) {
    return (
      <Text span size="sm" c="dimmed">
        {gone}
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
