import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSearchParams } from 'wouter'

interface AddressTab {
  /** How the address calls it. */
  name: string
  title: string
  content: ReactNode
}

/** Parts of a place, one at a time. Which one stands in the address; the first needs no mention. */
export function AddressTabs({ label, tabs }: { label: string; tabs: AddressTab[] }) {
  const [parameters, setParameters] = useSearchParams()
  const first = tabs[0]?.name ?? ''
  const shown = tabs.find(({ name }) => name === parameters.get('tab'))?.name ?? first
  // What one searched for in one part is of no use in another.
  const turnTo = (name: string | null) =>
    setParameters(name === null || name === first ? {} : { tab: name }, { replace: true })
  return (
    <Tabs value={shown} onChange={turnTo} keepMounted={false}>
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
