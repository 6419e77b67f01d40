import { Alert, Button, CopyButton, Divider, Group, Modal, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useMe } from '../../../me.tsx'
import { licenses } from '../../../text/licenses.ts'
import { shell } from '../../../text/shell.ts'
import { Icon } from '../../../ui/icon.tsx'
import { useTenant } from '../../tenant/tenant.ts'
import { type LicensedApplication, type LicensedType, leftOf, type SeatOfMember } from '../types.ts'
import type { Lack } from './use-seats.ts'

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

const Way = ({ title, text, children }: { title: string; text: ReactNode; children?: ReactNode }) => (
  <Stack gap={6} align="flex-start">
    <Title order={3} size="h6">
      {title}
    </Title>
    <Text size="sm" c="dimmed">
      {text}
    </Text>
    {children}
  </Stack>
)

function OtherTypes({
  lack: { member, type },
  types,
  onClose,
  onGive,
}: Pick<NoSeatsProps, 'onClose' | 'onGive'> & { lack: Lack; types: LicensedType[] }) {
  const others = types.filter(
    (each) => each.id !== type?.id && each.id !== member?.license?.licenseTypeId && leftOf(each) > 0,
  )
  const lead = member ? text.other.text(member.displayName) : text.other.textForNobody
  return (
    <Way title={text.other.title} text={others.length > 0 ? lead : text.other.none}>
      <Group gap="xs">
        {others.map((each) => {
          const label = text.other.action(each.name, each.available)
          if (!member)
            return (
              <Text key={each.id} size="sm">
                {label}
              </Text>
            )
          const give = () => {
            onClose()
            onGive(member, each)
          }
          return (
            <Button key={each.id} size="xs" variant="light" onClick={give}>
              {label}
            </Button>
          )
        })}
      </Group>
    </Way>
  )
}

function AskForMore({
  application,
  type,
}: {
  application: LicensedApplication
  type?: LicensedType | undefined
}) {
  const tenant = useTenant()
  const { access } = useMe()
  const sentence = text.more.sentence(tenant.name, application.name, type?.name ?? text.more.anyType)
  return (
    <Way title={text.more.title} text={text.more.text}>
      <Text size="sm">“{sentence}”</Text>
      <Group gap="xs">
        <CopyButton value={sentence}>
          {({ copied, copy }) => (
            <Button
              size="xs"
              variant="light"
              onClick={copy}
              leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
            >
              {copied ? shell.copied : text.more.copy}
            </Button>
          )}
        </CopyButton>
        {access.superAdmin && (
          <Button
            component={Link}
            href={`~/console/instance/tenants/${tenant.id}`}
            size="xs"
            variant="default"
            rightSection={<Icon name="right" size={14} />}
          >
            {text.more.operator}
          </Button>
        )}
      </Group>
    </Way>
  )
}
