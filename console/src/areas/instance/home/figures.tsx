import type { Reply } from '@latchkey/client'
import { Paper, Progress, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { instance } from '../../../text/instance.ts'
import { formatNumber } from '../../../ui/format.ts'
import './home.css'

const text = instance.figures

interface FigureProps {
  label: string
  value: number
  note: string
  /** A link to the list. */
  href?: string
  children?: ReactNode
}

export const FIGURE_GRID = { cols: { base: 2, sm: 3, lg: 5 }, spacing: { base: 'sm', sm: 'md' } }
export const FIGURE_HEIGHT = 118

/** The key figures of the instance. */
export const Figures = ({
  overview: { users, tenants, applications, clients, sessions, seats },
}: {
  overview: Reply<'GET /api/admin/overview'>
}) => (
  <SimpleGrid {...FIGURE_GRID} component="section" aria-label={text.label}>
    <Figure
      label={text.users}
      value={users.total}
      note={text.usersNote(users.disabled, users.deletionRequested)}
      href="/users"
    />
    <Figure label={text.tenants} value={tenants.total} note={text.tenantsNote(tenants.suspended)} href="/tenants" />
    <Figure label={text.applications} value={applications} note={text.applicationsNote(clients)} href="/applications" />
    <Figure label={text.sessions} value={sessions} note={text.sessionsNote} />
    <Figure label={text.seats} value={seats.assigned} note={text.seatsNote(seats.purchased)}>
      <Progress
        value={seats.purchased === 0 ? 0 : (100 * seats.assigned) / seats.purchased}
        size="sm"
        aria-label={text.seats}
      />
    </Figure>
  </SimpleGrid>
)

function Figure({ label, value, note, href, children }: FigureProps) {
  const content = (
    <Stack gap={2} h="100%">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={28} fw={650} lh={1.2}>
        {formatNumber(value)}
      </Text>
      <Text size="xs" c="dimmed">
        {note}
      </Text>
      {children}
    </Stack>
  )
  if (href === undefined) {
    return (
      <Paper p="md" mih={FIGURE_HEIGHT}>
        {content}
      </Paper>
    )
  }
  return (
    <Paper mih={FIGURE_HEIGHT} className="figure-link">
      <UnstyledButton component={Link} href={href} p="md" display="block" h="100%">
        {content}
      </UnstyledButton>
    </Paper>
  )
}
