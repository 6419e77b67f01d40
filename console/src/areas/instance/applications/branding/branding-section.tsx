import { useRead } from '../../../../api/use-api.ts'
import { branding as text } from '../../../../text/application-branding.ts'
import { Section } from '../../../../ui/section.tsx'
import { Loaded } from '../../../../ui/states.tsx'
import type { Application } from '../settings-section.tsx'
import { BrandingForm } from './branding-form.tsx'

/** How the hosted pages look on the way to an application. */
export function BrandingSection({ application: { id, name } }: { application: Application }) {
  const query = useRead('GET /api/admin/applications/{id}/branding', { input: { path: { id } } })
  return (
    <Section title={text.title} lead={text.lead}>
      <Loaded query={query} rows={4} height={76}>
        {(branding) => <BrandingForm key={branding.updatedAt} id={id} name={name} branding={branding} />}
      </Loaded>
    </Section>
  )
}
