import { Button, CopyButton, Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useMe } from '../../../me.tsx'
import { licenses } from '../../../text/licenses.ts'
import { shell } from '../../../text/shell.ts'
import { Icon } from '../../../ui/icon.tsx'
import { useTenant } from '../../tenant/tenant.ts'
import { grantableSeats, type LicensedApplication, type LicensedType, type MemberSeat } from '../types.ts'
import type { SeatShortage } from './use-seats.ts'

const { shortage: text } = licenses

/** One option with an explanation. */
export const Option = ({ title, text, children }: { title: string; text: ReactNode; children?: ReactNode }) => (
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

/** Other license types with free seats. */
export function OtherTypes({
  shortage: { member, type },
  types,
  onClose,
  onGrant,
}: {
  shortage: SeatShortage
  types: LicensedType[]
  onClose: () => void
  onGrant: (member: MemberSeat, type: LicensedType) => void
}) {
  const others = types.filter(
    (candidate) =>
      candidate.id !== type?.id && candidate.id !== member?.license?.licenseTypeId && grantableSeats(candidate) > 0,
  )
  const lead = member ? text.other.text(member.displayName) : text.other.textForNobody
  return (
    <Option title={text.other.title} text={others.length > 0 ? lead : text.other.none}>
      <Group gap="xs">
        {others.map((candidate) => {
          const label = text.other.action(candidate.name, candidate.available)
          if (!member)
            return (
              <Text key={candidate.id} size="sm">
                {label}
              </Text>
            )
          const give = () => {
            onClose()
            onGrant(member, candidate)
          }
          return (
            <Button key={candidate.id} size="xs" variant="light" onClick={give}>
              {label}
            </Button>
          )
        })}
      </Group>
    </Option>
  )
}

/** A message for the provider, and for super admins a link to the subscriptions. */
export function RequestSeats({
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
    <Option title={text.more.title} text={text.more.text}>
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
    </Option>
  )
}
