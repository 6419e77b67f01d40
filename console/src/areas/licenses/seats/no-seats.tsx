import { Alert, Button, Divider, Group, Modal, Stack, Text } from '@mantine/core'
import { licenses } from '../../../text/licenses.ts'
import { shell } from '../../../text/shell.ts'
import { Icon } from '../../../ui/icon.tsx'
import type { LicensedApplication, LicensedType, MemberSeat } from '../types.ts'
import { Option, OtherTypes, RequestSeats } from './no-seats-options.tsx'
import type { SeatShortage } from './use-seats.ts'

const { shortage: text } = licenses

/** Shown if no license type has a free seat. */
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
  shortage: SeatShortage | undefined
  application: LicensedApplication
  onClose: () => void
  onShowHolders: () => void
  onGrant: (member: MemberSeat, type: LicensedType) => void
}

/** Explains how to get a seat if none is free. */
export const NoSeats = (props: NoSeatsProps) => (
  <Modal
    opened={props.shortage !== undefined}
    onClose={props.onClose}
    title={text.title}
    closeButtonProps={{ 'aria-label': shell.close }}
  >
    {props.shortage && <Options {...props} shortage={props.shortage} />}
  </Modal>
)

function Options({
  shortage,
  application,
  onClose,
  onShowHolders,
  onGrant,
}: NoSeatsProps & { shortage: SeatShortage }) {
  return (
    <Stack>
      {shortage.sentence !== undefined && (
        <Text size="sm" fw={600}>
          {shortage.sentence}
        </Text>
      )}
      <Text size="sm">{text.lead}</Text>
      <Option title={text.back.title} text={text.back.text}>
        <Button size="xs" variant="light" onClick={onShowHolders}>
          {text.back.action}
        </Button>
      </Option>
      <Divider />
      <OtherTypes shortage={shortage} types={application.licenseTypes} onClose={onClose} onGrant={onGrant} />
      <Divider />
      <RequestSeats application={application} type={shortage.type} />
    </Stack>
  )
}
