import { Code, Text } from '@mantine/core'
import { useRead } from '../../../../api/use-api.ts'
import { subscriptionStatus } from '../../../../text/seats.ts'
import { subscriptions } from '../../../../text/subscriptions.ts'
import { toDay } from '../../../../ui/time.tsx'
import { PersonLink } from '../../kit/person-link.tsx'
import type { HistoryRow } from './history.tsx'

const { history: text, noEnd } = subscriptions

/** What happened, to which license and to whom. */
export function HistoryEvent({ entry }: { entry: HistoryRow }) {
  const { reason, applicationId, before, after, userId } = entry
  const was = typeOf(before)
  const is = typeOf(after)
  return (
    <div>
      <Text size="sm" fw={600}>
        {text.reasons[reason]}
      </Text>
      <Text size="sm" component="div">
        {was !== undefined && is !== undefined && was !== is && (
          <>
            <TypeName applicationId={applicationId} id={was} /> {'→ '}
          </>
        )}
        <TypeName applicationId={applicationId} id={is ?? was} />
        {userId !== null && (
          <>
            {` ${text.forWhom} `}
            <PersonLink id={userId} gone={text.gone} />
          </>
        )}
        {entry.subject === 'subscription' && changesOf(entry).map((change) => `, ${change}`)}
      </Text>
    </div>
  )
}

export function HistoryActor({ actor }: { actor: string | null }) {
  const [, kind, id] = /^(user|client):(.+)$/.exec(actor ?? '') ?? []
  if (id === undefined) return text.service
  if (kind === 'user') return <PersonLink id={id} gone={text.gone} />
  return <Code>{text.client(id)}</Code>
}

function TypeName({ applicationId, id }: { applicationId: string; id: string | undefined }) {
  const { data, isPending } = useRead('GET /api/licensing/license-types', {
    input: { query: { applicationId } },
  })
  const type = data?.find((known) => known.id === id)
  return <span>{type?.name ?? (isPending ? '…' : text.unknownType)}</span>
}

type State = HistoryRow['after']

const typeOf = (state: State): string | undefined =>
  typeof state?.licenseTypeId === 'string' ? state.licenseTypeId : undefined

/** What of a subscription became other than it was; of a new one, how it began. */
function changesOf({ before, after }: HistoryRow): string[] {
  if (after === null) return []
  return DESCRIBED.flatMap(([name, describe]) => {
    const is = describe(after[name])
    if (before === null) return name === 'quantityPurchased' ? [is] : []
    const was = describe(before[name])
    return was === is ? [] : [text.fromTo(was, is)]
  })
}

const DESCRIBED: [name: string, describe: (value: unknown) => string][] = [
  ['quantityPurchased', (value) => text.seats(Number(value))],
  ['status', (value) => subscriptionStatus[value as keyof typeof subscriptionStatus] ?? String(value)],
  ['currentPeriodEnd', (value) => (typeof value === 'string' ? text.until(toDay(value)) : noEnd)],
]
