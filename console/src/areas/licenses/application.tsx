import { Divider } from '@mantine/core'
import { Fragment } from 'react'
import { licenses as text } from '../../text/licenses.ts'
import { Page } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useTenant } from '../tenant/tenant.ts'
import { explainMode } from './application-card.tsx'
import { SeatList } from './seats/seat-list.tsx'
import { TypeSummary } from './type-summary.tsx'
import type { LicensedApplication } from './types.ts'
import { Usage } from './usage.tsx'
import { YourLicense } from './your-license.tsx'

/** The license types, seats and usage of one application. */
export function ApplicationLicensesPage({ application }: { application: LicensedApplication }) {
  const tenant = useTenant()
  const { name, licensingMode: mode, licenseTypes } = application
  const perSeat = mode === 'PER_SEAT'
  return (
    <Page
      title={name}
      back={{ href: '/', label: text.back }}
      badges={<Tag>{text.modes[mode]}</Tag>}
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
  )
}
