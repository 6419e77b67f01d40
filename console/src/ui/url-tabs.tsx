import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSearchParams } from 'wouter'

interface UrlTab {
  /** The value of the `tab` query parameter. */
  name: string
  title: string
  content: ReactNode
}

/** Tabs whose selection is in the query string. The first tab is the default. */
export function UrlTabs({ label, tabs }: { label: string; tabs: UrlTab[] }) {
  const [parameters, setParameters] = useSearchParams()
  const first = tabs[0]?.name ?? ''
  const selected = tabs.find(({ name }) => name === parameters.get('tab'))?.name ?? first
  // Filters of one tab do not apply to another, so that the other parameters are dropped.
  const selectTab = (name: string | null) =>
    setParameters(name === null || name === first ? {} : { tab: name }, { replace: true })
  return (
    <Tabs value={selected} onChange={selectTab} keepMounted={false}>
      <Tabs.List aria-label={label} mb="lg">
        {tabs.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name} px={{ base: 'xs', sm: 'md' }}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, content }) => (
        <Tabs.Panel key={name} value={name}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
