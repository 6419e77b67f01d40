import { useRead } from '../../../api/use-api.ts'
import { settings } from '../../../text/settings.ts'
import { Section } from '../../../ui/section.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useTenant } from '../tenant.ts'
import { BrandingForm } from './branding-form.tsx'

/** How hosted pages look on the way into the tenant. */
export function BrandingSection() {
  const { id } = useTenant()
  const query = useRead('GET /api/tenants/{id}/branding', { input: { path: { id } } })
  return (
    <Section title={settings.branding.title} lead={settings.branding.lead}>
      <Loaded query={query} rows={4} height={60}>
        {(branding) => <BrandingForm key={branding.updatedAt} branding={branding} />}
      </Loaded>
    </Section>
  )
}
