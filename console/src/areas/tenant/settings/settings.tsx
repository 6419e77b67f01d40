import { useRead } from '../../../api/use-api.ts'
import { BrandingSection } from '../../../parts/branding/branding-section.tsx'
import { settings as text } from '../../../text/settings.ts'
import { Page } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useTenant } from '../tenant.ts'
import { AdvancedSection } from './advanced.tsx'
import { DangerZone } from './danger-zone.tsx'
import { GeneralSection } from './general.tsx'
import { MfaSection } from './mfa.tsx'

export function SettingsPlace() {
  const { id, name, runs } = useTenant()
  const query = useRead('GET /api/tenants/{id}', { input: { path: { id } } })
  return (
    <Page title={text.title} lead={text.lead(name)}>
      <Loaded query={query} rows={3} height={220}>
        {(tenant) => (
          <>
            <GeneralSection key={tenant.name} tenant={tenant} />
            <MfaSection tenant={tenant} />
            {runs && <BrandingSection owner={{ kind: 'tenant', id, name }} />}
            {runs && <AdvancedSection key={tenant.updatedAt} tenant={tenant} />}
            <DangerZone tenant={tenant} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
