import { useQuery } from '@tanstack/react-query'
import { branding as text } from '../../text/branding.ts'
import { Section } from '../../ui/section.tsx'
import { QueryContent } from '../../ui/states.tsx'
import { brandingApi, brandingKey, type Owner } from './branding-api.ts'
import { BrandingForm } from './branding-form.tsx'

/** The branding of the hosted pages for an application or a tenant. */
export function BrandingSection({ owner }: { owner: Owner }) {
  const query = useQuery({ queryKey: brandingKey(owner), queryFn: brandingApi(owner).read })
  return (
    <Section title={text.title} lead={text.lead[owner.kind]}>
      <QueryContent query={query} skeletonRows={4} skeletonHeight={76}>
        {(branding) => <BrandingForm key={branding.updatedAt} owner={owner} branding={branding} />}
      </QueryContent>
    </Section>
  )
}
