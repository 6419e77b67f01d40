import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { useApiQuery } from '../../../api/use-api.ts'
import { instance as text } from '../../../text/instance.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { Section } from '../../../ui/section.tsx'
import { ErrorAlert } from '../../../ui/states.tsx'
import { Figures } from './figures.tsx'
import { HealthSummary } from './health-summary.tsx'
import { HomeSkeleton } from './home-skeleton.tsx'
import { SignInChart } from './sign-in-chart.tsx'

const REFETCH_INTERVAL_MS = 60_000

/** The overview of the instance. */
export function HomePage() {
  const query = useApiQuery('GET /api/admin/overview', { input: {}, refetchIntervalMs: REFETCH_INTERVAL_MS })
  const overview = query.data
  return (
    <Page title={text.title} lead={overview ? text.lead(overview.version) : text.leadWaiting}>
      {overview ? (
        <>
          {overview.applications === 0 && <FirstApplication />}
          <Figures overview={overview} />
          <Section title={text.signIns.title} lead={text.signIns.lead}>
            <SignInChart days={overview.signIns} />
          </Section>
          <HealthSummary health={overview.health} />
        </>
      ) : query.isError ? (
        <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <HomeSkeleton />
      )}
    </Page>
  )
}

/** Shown until the first application exists. */
const FirstApplication = () => (
  <Paper p={{ base: 'lg', sm: 'xl' }} component="section" bg="var(--mantine-primary-color-light)">
    <Group justify="space-between" gap="lg">
      <Stack gap={6} maw="52ch">
        <Title order={2} size="h3">
          {text.first.title}
        </Title>
        <Text>{text.first.text}</Text>
      </Stack>
      <Button component={Link} href="/applications/new" size="md" leftSection={<Icon name="plus" />}>
        {text.first.action}
      </Button>
    </Group>
  </Paper>
)
