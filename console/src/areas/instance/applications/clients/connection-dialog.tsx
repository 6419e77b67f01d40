import { Modal } from '@mantine/core'
import { clients as text } from '../../../../text/clients.ts'
import { shell } from '../../../../text/shell.ts'
import type { Connection } from './connection.ts'
import { HowToConnect } from './how-to-connect.tsx'

/** Connection settings and code samples of a client. */
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
    {connection && <HowToConnect key={connection.client.id} {...connection} />}
  </Modal>
)
