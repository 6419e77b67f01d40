import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '../../../api/use-api.ts'
import { instance as text } from '../../../text/instance.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { Section } from '../../../ui/section.tsx'
import { Problem } from '../../../ui/states.tsx'
import { Figures } from './figures.tsx'
import { HealthGlance } from './health-glance.tsx'
import { SignInChart } from './sign-in-chart.tsx'
import { WaitingHome } from './waiting-home.tsx'

const EVERY_MS = 60_000

/** The whole instance at a glance. */
export function HomePlace() {
  const query = useRead('GET /api/admin/overview', { input: {}, everyMs: EVERY_MS })
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
          <HealthGlance health={overview.health} />
        </>
      ) : query.isError ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <WaitingHome />
      )}
    </Page>
  )
}

/** The way to begin, where nothing is there yet. */
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
