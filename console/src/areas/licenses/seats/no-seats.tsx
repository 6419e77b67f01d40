import { Alert, Button, Divider, Group, Modal, Stack, Text } from '@mantine/core'
import { licenses } from '../../../text/licenses.ts'
import { shell } from '../../../text/shell.ts'
import { Icon } from '../../../ui/icon.tsx'
import type { LicensedApplication, LicensedType, SeatOfMember } from '../types.ts'
import type { Lack } from './use-seats.ts'
import { AskForMore, OtherTypes, Way } from './ways-out.tsx'

const { lack: text } = licenses

/** Nothing can be given any more: said before anybody tries. */
export const NoSeatsBanner = ({ application, onAsk }: { application: string; onAsk: () => void }) => (
  <Alert color="yellow" variant="light" icon={<Icon name="info" />} title={text.banner}>
    <Group justify="space-between" gap="sm">
      <Text size="sm">{text.bannerText(application)}</Text>
      <Button size="xs" variant="default" onClick={onAsk}>
        {text.bannerAction}
      </Button>
    </Group>
  </Alert>
)

interface NoSeatsProps {
  lack: Lack | undefined
  application: LicensedApplication
  onClose: () => void
  onShowHolders: () => void
  onGive: (member: SeatOfMember, type: LicensedType) => void
}

/** There is no seat: the ways out. */
export const NoSeats = (props: NoSeatsProps) => (
  <Modal
    opened={props.lack !== undefined}
    onClose={props.onClose}
    title={text.title}
    closeButtonProps={{ 'aria-label': shell.close }}
  >
    {props.lack && <Ways {...props} lack={props.lack} />}
  </Modal>
)

function Ways({ lack, application, onClose, onShowHolders, onGive }: NoSeatsProps & { lack: Lack }) {
  return (
    <Stack>
      {lack.sentence !== undefined && (
        <Text size="sm" fw={600}>
          {lack.sentence}
        </Text>
      )}
      <Text size="sm">{text.lead}</Text>
      <Way title={text.back.title} text={text.back.text}>
        <Button size="xs" variant="light" onClick={onShowHolders}>
          {text.back.action}
        </Button>
      </Way>
      <Divider />
      <OtherTypes lack={lack} types={application.licenseTypes} onClose={onClose} onGive={onGive} />
      <Divider />
      <AskForMore application={application} type={lack.type} />
    </Stack>
  )
}
