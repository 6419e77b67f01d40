import { Button, Paper, Stack } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../../../../api/use-api.ts'
import { clients as text } from '../../../../text/clients.ts'
import { Icon } from '../../../../ui/icon.tsx'
import { Pager } from '../../../../ui/pager.tsx'
import { Section } from '../../../../ui/section.tsx'
import { Empty, Loaded } from '../../../../ui/states.tsx'
import { useDraft } from '../../../../ui/use-draft.ts'
import { useFilters } from '../../../../ui/use-filters.ts'
import type { Application } from '../settings-section.tsx'
import { ClientCard } from './client-card.tsx'
import { ClientDialog } from './client-dialog.tsx'
import { type ClientDraft, draftOf, newDraft } from './client-draft.ts'
import { type Connection, ConnectionDialog } from './connection-dialog.tsx'

/** The clients of an application. */
export function ClientsSection({ application }: { application: Application }) {
  const { page, set } = useFilters([])
  const query = useRead('GET /api/admin/clients', {
    input: { query: { applicationId: application.id, page, limit: 20 } },
  })
  const dialog = useDraft<ClientDraft>(newDraft())
  const [connection, setConnection] = useState<Connection>()
  const [shown, setShown] = useState(false)
  const connect = (to: Connection) => {
    setConnection(to)
    setShown(true)
  }
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => dialog.open(newDraft())}>
      {text.add}
    </Button>
  )
  return (
    <Section title={text.title} lead={text.lead} actions={add}>
      <ClientDialog dialog={dialog} applicationId={application.id} onCreated={connect} />
      <ConnectionDialog connection={connection} opened={shown} onClose={() => setShown(false)} />
      <Loaded query={query} rows={2} height={150}>
        {({ clients, pagination }) =>
          clients.length === 0 ? (
            <Paper>
              <Empty icon="key" title={text.none.title} text={text.none.text} />
            </Paper>
          ) : (
            <Stack gap="md" aria-busy={query.isPlaceholderData}>
              {clients.map((client) => (
                <ClientCard
                  key={client.id}
                  client={client}
                  edit={() => dialog.open(draftOf(client))}
                  connect={connect}
                />
              ))}
              <Pager pagination={pagination} onPage={(to) => set({ page: to })} />
            </Stack>
          )
        }
      </Loaded>
    </Section>
  )
}
