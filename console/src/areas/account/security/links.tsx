import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../../../api/use-api.ts'
import { type Access, useMe } from '../../../me.tsx'
import { security } from '../../../text/security.ts'
import { Section } from '../../../ui/section.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Moment } from '../../../ui/time.tsx'
import { Line } from './line.tsx'
import { type Link, LinkDialog, type Provider, UnlinkDialog } from './link-dialogs.tsx'

const { links: text } = security

/** Accounts elsewhere that open the one here. */
export function LinksSection() {
  const { access } = useMe()
  const query = useRead('GET /api/users/me/sso', { input: {} })
  return (
    <Section title={text.title} lead={text.lead}>
      <Loaded query={query} rows={2} height={56}>
        {({ links }) => {
          const providers = combine(access, links)
          return providers.length > 0 ? (
            <Providers providers={providers} />
          ) : (
            <Empty icon="link" title={text.empty} text={text.emptyText} />
          )
        }}
      </Loaded>
    </Section>
  )
}

/** A provider that is not set up any more may still be unlinked. */
function combine({ providers }: Access, links: Link[]): Provider[] {
  const former = links
    .filter(({ provider }) => !providers.some(({ name }) => name === provider))
    .map(({ provider }) => ({ name: provider, label: provider }))
  return [...providers, ...former].map(({ name, label }) => ({
    name,
    label,
    link: links.find(({ provider }) => provider === name),
  }))
}

function Providers({ providers }: { providers: Provider[] }) {
  const [asked, setAsked] = useState<Provider>()
  const [open, setOpen] = useState<'link' | 'unlink'>()
  const close = () => setOpen(undefined)
  const ask = (deed: 'link' | 'unlink', provider: Provider) => {
    setAsked(provider)
    setOpen(deed)
  }
  return (
    <>
      <Stack component="ul" gap="md" p={0} m={0} aria-label={text.title} style={{ listStyle: 'none' }}>
        {providers.map((provider) => (
          <ProviderLine key={provider.name} provider={provider} ask={ask} />
        ))}
      </Stack>
      {asked && <LinkDialog provider={asked} opened={open === 'link'} close={close} />}
      {asked && <UnlinkDialog provider={asked} opened={open === 'unlink'} close={close} />}
    </>
  )
}

interface ProviderLineProps {
  provider: Provider
  ask: (deed: 'link' | 'unlink', provider: Provider) => void
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
      {text.used} <Moment at={link.lastUsedAt} />
    </>
  ) : (
    text.notLinked
  )
  return <Line component="li" title={label} text={state} action={action} />
}
