import { Center, Paper, Stack, Text } from '@mantine/core'
import { audit as text } from '../../text/audit.ts'
import { LoadMoreButton } from '../../ui/load-more-button.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../ui/states.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { AuditFilters } from './audit-filters.tsx'
import { FILTERS, useEntries } from './entries.ts'
import { EntryItem } from './entry-item.tsx'
import { ExportMenu } from './export-menu.tsx'
import { useNames } from './names.ts'
import './audit.css'

/** The audit log of a tenant, or of the instance without `tenantId`. */
export function AuditPage({ tenantId }: { tenantId?: string }) {
  const { values, set } = useFilters(FILTERS)
  const query = useEntries(tenantId, values)
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? []
  const names = useNames(tenantId, entries, values)
  const isFiltered = FILTERS.some((name) => values[name] !== '')
  const emptyState = isFiltered ? text.nothingFound : text.empty
  return (
    <Page
      title={text.title}
      lead={tenantId === undefined ? text.lead.instance : text.lead.tenant}
      actions={<ExportMenu tenantId={tenantId} filters={values} />}
    >
      <AuditFilters isTenantLog={tenantId !== undefined} values={values} names={names} set={set} />
      {query.isError ? (
        <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <LoadingSkeleton rows={8} height={58} />
      ) : (
        <Stack gap="md" aria-busy={query.isPlaceholderData} opacity={query.isPlaceholderData ? 0.6 : 1}>
          <Paper>
            {entries.length === 0 ? (
              <EmptyState icon="list" title={emptyState.title} text={emptyState.text} />
            ) : (
              <ul aria-label={text.entries} className="plain-list divided">
                {entries.map((entry) => (
                  <EntryItem
                    key={entry.id}
                    entry={entry}
                    names={names}
                    onFilter={(name, value) => set({ [name]: value })}
                  />
                ))}
              </ul>
            )}
          </Paper>
          <Center mih={36}>
            {query.hasNextPage ? (
              <LoadMoreButton label={text.older} query={query} />
            ) : (
              entries.length > 0 && (
                <Text size="sm" c="dimmed">
                  {text.allShown(entries.length)}
                </Text>
              )
            )}
          </Center>
        </Stack>
      )}
    </Page>
  )
}
