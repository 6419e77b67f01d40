import { Button, CopyButton, Group, Stack, Text, Title } from '@mantine/core'
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

/** One way out, with what it means. */
export const Way = ({ title, text, children }: { title: string; text: ReactNode; children?: ReactNode }) => (
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

/** What else can be given at this moment. */
export function OtherTypes({
  lack: { member, type },
  types,
  onClose,
  onGive,
}: {
  lack: Lack
  types: LicensedType[]
  onClose: () => void
  onGive: (member: SeatOfMember, type: LicensedType) => void
}) {
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

/** Words for those who sell, or the way there for those who do it themselves. */
export function AskForMore({
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
