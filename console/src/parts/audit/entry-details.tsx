import { Anchor, Box, Code, Group, Stack, Text } from '@mantine/core'
import { audit as text } from '../../text/audit.ts'
import { Diff, toText } from './diff.tsx'
import type { Entry, FilterName } from './entries.ts'
import type { Names } from './names.ts'
import { actorOf, targetOf } from './sentence.tsx'

interface Fact {
  title: string
  value: string
  /** The filter that shows entries with the same value. */
  filter?: keyof typeof text.only
  filterValue?: string | null
}

/** All fields of an entry, with the changes. */
export function EntryDetails({
  entry,
  names,
  onFilter,
}: {
  entry: Entry
  names: Names
  onFilter: (name: FilterName, value: string) => void
}) {
  const { before: _before, after: _after, ...others } = entry.details
  return (
    <Stack gap="sm" pt="sm" ps={{ base: 0, sm: 42 }}>
      <Diff details={entry.details} />
      <Box component="dl" m={0} className="facts">
        {factsOf(entry, names).map(({ title, value, filter, filterValue }) => (
          <Row key={title} title={title}>
            <Text size="sm" component="span">
              {value}
            </Text>
            {filter && filterValue && (
              <Anchor component="button" type="button" size="xs" onClick={() => onFilter(filter, filterValue)}>
                {text.only[filter]}
              </Anchor>
            )}
          </Row>
        ))}
        {Object.entries(others).map(([field, value]) => (
          <Row key={field} title={field}>
            <Code style={{ whiteSpace: 'pre-wrap' }}>{toText(value)}</Code>
          </Row>
        ))}
      </Box>
    </Stack>
  )
}

const Row = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <>
    <Text component="dt" size="sm" c="dimmed">
      {title}
    </Text>
    <Group component="dd" m={0} gap="xs" wrap="wrap">
      {children}
    </Group>
  </>
)

function factsOf(entry: Entry, names: Names): Fact[] {
  const { facts } = text
  const { actor, userId, email } = entry
  const whom = targetOf(entry, names)
  const candidates: (Fact | { title: string; value: null })[] = [
    { title: facts.action, value: entry.action },
    { title: facts.actor, value: actorOf(entry, names), filter: 'actorId', filterValue: actor.id },
    { title: facts.whom, value: userId && (whom ?? userId), filter: 'userId', filterValue: userId },
    { title: facts.email, value: email === whom ? null : email },
    // In the log of a tenant, the name is unknown and the fact is omitted.
    {
      title: facts.tenant,
      value: names(entry.tenantId) ?? null,
      filter: 'tenantId',
      filterValue: entry.tenantId,
    },
    { title: facts.client, value: entry.clientId, filter: 'clientId', filterValue: entry.clientId },
    { title: facts.ipAddress, value: entry.ipAddress, filter: 'ipAddress', filterValue: entry.ipAddress },
    { title: facts.userAgent, value: entry.userAgent },
    { title: facts.requestId, value: entry.requestId, filter: 'requestId', filterValue: entry.requestId },
  ]
  return candidates.filter((fact): fact is Fact => fact.value !== null && fact.value !== '')
}
