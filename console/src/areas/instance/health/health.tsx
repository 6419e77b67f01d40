import { Alert, Text } from '@mantine/core'
import { useApiQuery } from '../../../api/use-api.ts'
import { currentLocale } from '../../../languages/catalog.ts'
import { health as text } from '../../../text/health.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { QueryContent } from '../../../ui/states.tsx'
import { CheckList } from './check-list.tsx'
import { toChecks, worstLevel } from './checks.ts'
import { Summary } from './summary.tsx'

const REFETCH_INTERVAL_MS = 10_000

/** The health checks of the service. */
export function HealthPage() {
  const overview = useApiQuery('GET /api/admin/overview', {
    input: {},
    refetchIntervalMs: REFETCH_INTERVAL_MS,
  })
  const ready = useApiQuery('GET /health/ready', { input: {}, refetchIntervalMs: REFETCH_INTERVAL_MS })
  const isStale = overview.data !== undefined && overview.isError
  return (
    <Page title={text.title} lead={text.lead}>
      {isStale && (
        <Alert color="red" icon={<Icon name="warning" />} role="alert">
          {text.unreachable}
        </Alert>
      )}
      <QueryContent query={overview} skeletonRows={8} skeletonHeight={56}>
        {({ health, version }) => {
          // The service counts as ready until the check fails.
          const checks = toChecks(health, !ready.isError)
          const level = worstLevel(checks)
          return (
            <>
              <Summary level={level} />
              <CheckList checks={checks} />
              <Text size="sm" c="dimmed">
                {text.version(version)} ·{' '}
                {text.checked(new Date(overview.dataUpdatedAt).toLocaleTimeString(currentLocale()))}
              </Text>
            </>
          )
        }}
      </QueryContent>
    </Page>
  )
}
