import { Anchor, Box, Code, Group, Stack, Text } from '@mantine/core'
import { audit as text } from '../../text/audit.ts'
import { Diff, toText } from './diff.tsx'
import type { Names } from './names.ts'
import { actorOf, whomOf } from './sentence.tsx'
import type { Entry, FilterName } from './source.ts'

interface Fact {
  title: string
  value: string
  /** By this one may look for more of the same. */
  only?: keyof typeof text.only
  wanted?: string | null
}

/** Everything that an entry tells, with the change as before and after. */
export function EntryDetails({
  entry,
  names,
  onOnly,
}: {
  entry: Entry
  names: Names
  onOnly: (name: FilterName, value: string) => void
}) {
  const { before: _before, after: _after, ...others } = entry.details
  return (
    <Stack gap="sm" pt="sm" pl={{ base: 0, sm: 42 }}>
      <Diff details={entry.details} />
      <Box component="dl" m={0} className="facts">
        {factsOf(entry, names).map(({ title, value, only, wanted }) => (
          <Row key={title} title={title}>
            <Text size="sm" component="span">
              {value}
            </Text>
            {only && wanted && (
              <Anchor component="button" type="button" size="xs" onClick={() => onOnly(only, wanted)}>
                {text.only[only]}
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
  const whom = whomOf(entry, names)
  const all: (Fact | { title: string; value: null })[] = [
    { title: facts.action, value: entry.action },
    { title: facts.actor, value: actorOf(entry, names), only: 'actorId', wanted: actor.id },
    { title: facts.whom, value: userId && (whom ?? userId), only: 'userId', wanted: userId },
    { title: facts.email, value: email === whom ? null : email },
    { title: facts.client, value: entry.clientId },
    { title: facts.ipAddress, value: entry.ipAddress, only: 'ipAddress', wanted: entry.ipAddress },
    { title: facts.userAgent, value: entry.userAgent },
    { title: facts.requestId, value: entry.requestId, only: 'requestId', wanted: entry.requestId },
  ]
  return all.filter((fact): fact is Fact => fact.value !== null && fact.value !== '')
}
