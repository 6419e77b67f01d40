import { useQuery } from '@tanstack/react-query'
import { branding as text } from '../../text/branding.ts'
import { Section } from '../../ui/section.tsx'
import { Loaded } from '../../ui/states.tsx'
import { BrandingForm } from './branding-form.tsx'
import { doorOf, keyAt, type Owner } from './door.ts'

/** How the hosted pages look on the way to an application, or into a tenant. */
export function BrandingSection({ owner }: { owner: Owner }) {
  const query = useQuery({ queryKey: keyAt(owner), queryFn: doorOf(owner).read })
  return (
    <Section title={text.title} lead={text.lead[owner.kind]}>
      <Loaded query={query} rows={4} height={76}>
        {(branding) => <BrandingForm key={branding.updatedAt} owner={owner} branding={branding} />}
      </Loaded>
    </Section>
  )
}
