import { Alert, Text } from '@mantine/core'
import { useRead } from '../../../api/use-api.ts'
import { health as text } from '../../../text/health.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { CheckList } from './check-list.tsx'
import { toChecks, worstOf } from './checks.ts'
import { Summary } from './summary.tsx'

const EVERY_MS = 10_000

/** Whether everything runs, in plain words. */
export function HealthPlace() {
  const overview = useRead('GET /api/admin/overview', { input: {}, everyMs: EVERY_MS })
  const ready = useRead('GET /health/ready', { input: {}, everyMs: EVERY_MS })
  const isStale = overview.data !== undefined && overview.isError
  return (
    <Page title={text.title} lead={text.lead}>
      {isStale && (
        <Alert color="red" icon={<Icon name="warning" />} role="alert">
          {text.unreachable}
        </Alert>
      )}
      <Loaded query={overview} rows={8} height={56}>
        {({ health, version }) => {
          // Until it has answered nothing is known against it.
          const checks = toChecks(health, !ready.isError)
          const level = worstOf(checks)
          return (
            <>
              <Summary level={level} />
              <CheckList checks={checks} />
              <Text size="sm" c="dimmed">
                {text.version(version)} ·{' '}
                {text.checked(new Date(overview.dataUpdatedAt).toLocaleTimeString())}
              </Text>
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}
