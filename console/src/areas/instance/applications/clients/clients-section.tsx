import { Button, Paper, Stack } from '@mantine/core'
import { useState } from 'react'
import { useApiQuery } from '../../../../api/use-api.ts'
import { clients as text } from '../../../../text/clients.ts'
import { Icon } from '../../../../ui/icon.tsx'
import { Pager } from '../../../../ui/pager.tsx'
import { Section } from '../../../../ui/section.tsx'
import { EmptyState, QueryContent } from '../../../../ui/states.tsx'
import { useDialogDraft } from '../../../../ui/use-dialog-draft.ts'
import { useFilters } from '../../../../ui/use-filters.ts'
import type { Application } from '../types.ts'
import { ClientCard } from './client-card.tsx'
import { ClientDialog } from './client-dialog.tsx'
import { type ClientDraft, newClientDraft, toClientDraft } from './client-draft.ts'
import type { Connection } from './connection.ts'
import { ConnectionDialog } from './connection-dialog.tsx'

export function ClientsSection({ application }: { application: Application }) {
  const { page, set } = useFilters([])
  const query = useApiQuery('GET /api/admin/clients', {
    input: { query: { applicationId: application.id, page, limit: 20 } },
  })
  const dialog = useDialogDraft<ClientDraft>(newClientDraft())
  const [connection, setConnection] = useState<Connection>()
  const [isConnectionShown, setConnectionShown] = useState(false)
  const showConnection = (created: Connection) => {
    setConnection(created)
    setConnectionShown(true)
  }
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => dialog.open(newClientDraft())}>
      {text.add}
    </Button>
  )
  return (
    <Section title={text.title} lead={text.lead} actions={add}>
      <ClientDialog dialog={dialog} applicationId={application.id} onCreated={showConnection} />
      <ConnectionDialog connection={connection} opened={isConnectionShown} onClose={() => setConnectionShown(false)} />
      <QueryContent query={query} skeletonRows={2} skeletonHeight={150}>
        {({ clients, pagination }) =>
          clients.length === 0 ? (
            <Paper>
              <EmptyState icon="key" title={text.none.title} text={text.none.text} />
            </Paper>
          ) : (
            <Stack gap="md" aria-busy={query.isPlaceholderData}>
              {clients.map((client) => (
                <ClientCard
                  key={client.id}
                  client={client}
                  edit={() => dialog.open(toClientDraft(client))}
                  connect={showConnection}
                />
              ))}
              <Pager pagination={pagination} onPage={(next) => set({ page: next })} />
            </Stack>
          )
        }
      </QueryContent>
    </Section>
  )
}
