import { Anchor, Divider, Stack } from '@mantine/core'
import { Fragment } from 'react'
import { Link } from 'wouter'
import { licenses as text } from '../../text/licenses.ts'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { useTenant } from '../tenant/tenant.ts'
import { explainMode, ModeBadge } from './application-card.tsx'
import { SeatList } from './seats/seat-list.tsx'
import { TypeSummary } from './type-summary.tsx'
import type { LicensedApplication } from './types.ts'
import { Usage } from './usage.tsx'
import { YourLicense } from './your-license.tsx'

/** One application: what was bought, who has it, and how that went over time. */
export function ApplicationPlace({ application }: { application: LicensedApplication }) {
  const tenant = useTenant()
  const { name, licensingMode: mode, licenseTypes } = application
  const perSeat = mode === 'PER_SEAT'
  return (
    <Stack gap="xs">
      <Anchor component={Link} href="/" size="sm" className="way-back">
        <Icon name="left" size={16} />
        {text.back}
      </Anchor>
      <Page
        title={name}
        actions={<ModeBadge mode={mode} />}
        {...(!perSeat && { lead: explainMode(application, tenant.name) })}
      >
        <YourLicense application={application} />
        <Section title={text.types}>
          {licenseTypes.map((type, index) => (
            <Fragment key={type.id}>
              {index > 0 && <Divider />}
              <TypeSummary type={type} mode={mode} />
            </Fragment>
          ))}
        </Section>
        <SeatList application={application} />
        {perSeat && <Usage applicationId={application.id} />}
      </Page>
    </Stack>
  )
}
