import { Button, Divider, Group, Stack, Text } from '@mantine/core'
import { Fragment } from 'react'
import { Link } from 'wouter'
import { licenses as text } from '../../text/licenses.ts'
import { Icon } from '../../ui/icon.tsx'
import { Section } from '../../ui/section.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useTenant } from '../tenant/tenant.ts'
import { TypeSummary } from './type-summary.tsx'
import type { LicensedApplication } from './types.ts'
import { useOwnSeat } from './your-license.tsx'

/** The license types of one application, with a link to its seats. */
export function ApplicationCard({ application }: { application: LicensedApplication }) {
  const { name, slug, licensingMode: mode, licenseTypes } = application
  const tenant = useTenant()
  const canManage = tenant.canManage && mode === 'PER_SEAT'
  return (
    <Section
      title={name}
      {...(mode !== 'PER_SEAT' && { lead: explainMode(application, tenant.name) })}
      actions={<Tag>{text.modes[mode]}</Tag>}
    >
      {licenseTypes.map((type, index) => (
        <Fragment key={type.id}>
          {index > 0 && <Divider />}
          <TypeSummary type={type} mode={mode} />
        </Fragment>
      ))}
      <Divider />
      <Group justify="space-between" gap="sm">
        <OwnLicense application={application} />
        <Button
          component={Link}
          href={`/${slug}`}
          variant={canManage ? 'filled' : 'default'}
          rightSection={<Icon name="right" size={16} />}
          aria-label={`${canManage ? text.manage : text.look}: ${name}`}
        >
          {canManage ? text.manage : text.look}
        </Button>
      </Group>
    </Section>
  )
}

/** Why the application needs no seats. */
export function explainMode({ name, licensingMode: mode }: LicensedApplication, tenant: string): string {
  if (mode === 'FREE') return text.wide.FREE(name)
  return mode === 'TENANT_WIDE' ? text.wide.TENANT_WIDE(tenant) : ''
}

/** The license of the signed-in user. */
function OwnLicense({ application }: { application: LicensedApplication }) {
  const { data } = useOwnSeat(application.id)
  return (
    <Stack mih={24} justify="center">
      {data && (
        <Group gap={6} wrap="nowrap" c={data.license ? undefined : 'dimmed'}>
          <Icon name={data.license ? 'check' : 'user'} size={16} />
          <Text size="sm">{data.license ? text.yours.short(data.license.name) : text.yours.shortNone}</Text>
        </Group>
      )}
    </Stack>
  )
}
