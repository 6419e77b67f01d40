import { SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { shell } from '../../../text/shell.ts'
import { FIGURE_GRID, FIGURE_HEIGHT } from './figures.tsx'

/** Placeholders of the size of the overview. */
export const HomeSkeleton = () => (
  <Stack gap="lg" role="status" aria-busy="true" aria-label={shell.loading}>
    <SimpleGrid {...FIGURE_GRID}>
      {['users', 'tenants', 'applications', 'sessions', 'seats'].map((figure) => (
        <Skeleton key={figure} height={FIGURE_HEIGHT} radius="lg" />
      ))}
    </SimpleGrid>
    <Skeleton height={292} radius="lg" />
    <Skeleton height={180} radius="lg" />
  </Stack>
)
