import { Code, Text } from '@mantine/core'
import { useApiQuery } from '../../../../api/use-api.ts'
import { subscriptionStatus } from '../../../../text/seats.ts'
import { subscriptions } from '../../../../text/subscriptions.ts'
import { Arrow } from '../../../../ui/arrow.tsx'
import { formatDate } from '../../../../ui/time.tsx'
import { UserLink } from '../../kit/user-link.tsx'
import type { LedgerEntry } from './types.ts'

const { history: text, noEnd } = subscriptions

/** The reason, license type and user of a ledger entry. */
export function HistoryEvent({ entry }: { entry: LedgerEntry }) {
  const { reason, applicationId, before, after, userId } = entry
  const previousType = typeOf(before)
  const currentType = typeOf(after)
  const current = <TypeName applicationId={applicationId} id={currentType ?? previousType} />
  const isOther = previousType !== undefined && currentType !== undefined && previousType !== currentType
  const type = isOther ? (
    <>
      <TypeName applicationId={applicationId} id={previousType} /> <Arrow /> {current}
    </>
  ) : (
    current
  )
  return (
    <div>
      <Text size="sm" fw={600}>
        {text.reasons[reason]}
      </Text>
      <Text size="sm" component="div">
        {userId === null ? type : text.forWhom(type, <UserLink id={userId} fallback={text.gone} />)}
        {entry.subject === 'subscription' && changesOf(entry).map((change) => `, ${change}`)}
      </Text>
    </div>
  )
}

export function HistoryActor({ actor }: { actor: string | null }) {
  const [, kind, id] = /^(user|client):(.+)$/.exec(actor ?? '') ?? []
  if (id === undefined) return text.service
  if (kind === 'user') return <UserLink id={id} fallback={text.gone} />
  return <Code>{text.client(id)}</Code>
}

function TypeName({ applicationId, id }: { applicationId: string; id: string | undefined }) {
  const { data, isPending } = useApiQuery('GET /api/licensing/license-types', {
    input: { query: { applicationId } },
  })
  const type = data?.find((candidate) => candidate.id === id)
  return <span>{type?.name ?? (isPending ? '…' : text.unknownType)}</span>
}

type State = LedgerEntry['after']

const typeOf = (state: State): string | undefined =>
  typeof state?.licenseTypeId === 'string' ? state.licenseTypeId : undefined

/** The changed fields of a subscription; for a new one its number of seats. */
function changesOf({ before, after }: LedgerEntry): string[] {
  if (after === null) return []
  return FIELDS.flatMap(([name, describe]) => {
    const current = describe(after[name])
    if (before === null) return name === 'quantityPurchased' ? [current] : []
    const previous = describe(before[name])
    return previous === current ? [] : [text.fromTo(previous, current)]
  })
}

const FIELDS: [name: string, describe: (value: unknown) => string][] = [
  ['quantityPurchased', (value) => text.seats(Number(value))],
  ['status', (value) => subscriptionStatus[value as keyof typeof subscriptionStatus] ?? String(value)],
  ['currentPeriodEnd', (value) => (typeof value === 'string' ? text.until(formatDate(value)) : noEnd)],
]
