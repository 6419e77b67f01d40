import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { useApiQuery } from '../../../api/use-api.ts'
import { type Access, useMe } from '../../../me.tsx'
import { security } from '../../../text/security.ts'
import { Section } from '../../../ui/section.tsx'
import { EmptyState, QueryContent } from '../../../ui/states.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { type Link, LinkDialog, type Provider, UnlinkDialog } from './link-dialogs.tsx'
import { SettingRow } from './setting-row.tsx'

const { links: text } = security

/** Linked accounts of external identity providers. */
export function LinksSection() {
  const { access } = useMe()
  const query = useApiQuery('GET /api/users/me/sso', { input: {} })
  return (
    <Section title={text.title} lead={text.lead}>
      <QueryContent query={query} skeletonRows={2} skeletonHeight={56}>
        {({ links }) => {
          const providers = toProviders(access, links)
          return providers.length > 0 ? (
            <Providers providers={providers} />
          ) : (
            <EmptyState icon="link" title={text.empty} text={text.emptyText} />
          )
        }}
      </QueryContent>
    </Section>
  )
}

/** Includes removed providers that are still linked, so that they can be unlinked. */
function toProviders({ providers }: Access, links: Link[]): Provider[] {
  const removed = links
    .filter(({ provider }) => !providers.some(({ name }) => name === provider))
    .map(({ provider }) => ({ name: provider, label: provider }))
  return [...providers, ...removed].map(({ name, label }) => ({
    name,
    label,
    link: links.find(({ provider }) => provider === name),
  }))
}

function Providers({ providers }: { providers: Provider[] }) {
  const [selected, setSelected] = useState<Provider>()
  const [open, setOpen] = useState<'link' | 'unlink'>()
  const close = () => setOpen(undefined)
  const ask = (dialog: 'link' | 'unlink', provider: Provider) => {
    setSelected(provider)
    setOpen(dialog)
  }
  return (
    <>
      <Stack component="ul" gap="md" p={0} m={0} aria-label={text.title} style={{ listStyle: 'none' }}>
        {providers.map((provider) => (
          <ProviderLine key={provider.name} provider={provider} ask={ask} />
        ))}
      </Stack>
      {selected && <LinkDialog provider={selected} opened={open === 'link'} close={close} />}
      {selected && <UnlinkDialog provider={selected} opened={open === 'unlink'} close={close} />}
    </>
  )
}

interface ProviderLineProps {
  provider: Provider
  ask: (dialog: 'link' | 'unlink', provider: Provider) => void
}

function ProviderLine({ provider, ask }: ProviderLineProps) {
  const { profile } = useMe()
  const { label, link } = provider
  const action = link ? (
    <Button variant="default" onClick={() => ask('unlink', provider)} aria-label={text.unlinkLabel(label)}>
      {text.unlink}
    </Button>
  ) : (
    <Button
      variant="default"
      onClick={() => ask('link', provider)}
      aria-label={text.linkLabel(label)}
      disabled={!profile.emailVerified}
    >
      {text.link}
    </Button>
  )
  const state = link ? (
    <>
      {text.linkedAs(link.email ?? link.displayName)}
      {' · '}
      {text.used(<RelativeTime at={link.lastUsedAt} />)}
    </>
  ) : (
    text.notLinked
  )
  return <SettingRow component="li" title={label} text={state} action={action} />
}
