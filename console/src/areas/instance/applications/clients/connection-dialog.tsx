import { Modal } from '@mantine/core'
import { clients as text } from '../../../../text/clients.ts'
import { shell } from '../../../../text/shell.ts'
import type { Client } from './client-draft.ts'
import { HowToConnect } from './how-to-connect.tsx'

export interface Connection {
  client: Client
  /** Known only just after it was made. */
  clientSecret?: string
}

/** What software needs to use a client. */
export const ConnectionDialog = ({
  connection,
  opened,
  onClose,
}: {
  connection: Connection | undefined
  opened: boolean
  onClose: () => void
}) => (
  <Modal
    opened={opened}
    onClose={onClose}
    size="xl"
    title={connection && `${text.connect}: ${connection.client.name}`}
    closeOnClickOutside={connection?.clientSecret === undefined}
    closeButtonProps={{ 'aria-label': shell.close }}
  >
    {connection && <HowToConnect {...connection} />}
  </Modal>
)
