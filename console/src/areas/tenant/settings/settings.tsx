import { useApiQuery } from '../../../api/use-api.ts'
import { BrandingSection } from '../../../parts/branding/branding-section.tsx'
import { settings as text } from '../../../text/settings.ts'
import { Page } from '../../../ui/page.tsx'
import { QueryContent } from '../../../ui/states.tsx'
import { useTenant } from '../tenant.ts'
import { AdvancedSection } from './advanced.tsx'
import { DangerZone } from './danger-zone.tsx'
import { GeneralSection } from './general.tsx'
import { LanguageSection } from './language.tsx'
import { MfaSection } from './mfa.tsx'
import { SupportSection } from './support.tsx'

export function SettingsPage() {
  const { id, name, canManage } = useTenant()
  const query = useApiQuery('GET /api/tenants/{id}', { input: { path: { id } } })
  return (
    <Page title={text.title} lead={text.lead(name)}>
      <QueryContent query={query} skeletonRows={3} skeletonHeight={220}>
        {(tenant) => (
          <>
            <GeneralSection key={tenant.name} tenant={tenant} />
            <MfaSection tenant={tenant} />
            <LanguageSection tenant={tenant} />
            <SupportSection tenant={tenant} />
            {canManage && <BrandingSection owner={{ kind: 'tenant', id, name }} />}
            {canManage && <AdvancedSection key={tenant.updatedAt} tenant={tenant} />}
            <DangerZone tenant={tenant} />
          </>
        )}
      </QueryContent>
    </Page>
  )
}
