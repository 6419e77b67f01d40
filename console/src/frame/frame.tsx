import { AppShell, Box, Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { shell } from '../text/shell.ts'
import { Logo } from '../ui/logo.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { Navigation } from './navigation.tsx'
import { LazyOverlays } from './palette/lazy-overlays.tsx'
import { useShortcuts } from './palette/use-shortcuts.ts'
import { SearchButton } from './search-button.tsx'
import { SupportBanner } from './support-banner.tsx'
import { TenantSwitcher } from './tenant-switcher.tsx'
import { UserMenu } from './user-menu.tsx'
import './frame.css'

/** The layout of every page: header with tenant switcher, navigation and content. */
export function Frame({ children }: { children: ReactNode }) {
  const [open, { toggle, close }] = useDisclosure()
  const [location] = useLocation()
  const shortcuts = useShortcuts()
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the mobile menu.
  useEffect(close, [location])
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !open } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className="skip" href="#content">
        {shell.skipToContent}
      </a>
      <AppShell.Header>
        <Group h="100%" px={{ base: 'xs', sm: 'md' }} gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger opened={open} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={shell.menu} />
            <Link href="/" className="brand">
              <Logo />
              <span className="brand-name">{shell.product}</span>
            </Link>
            <TenantSwitcher />
          </Group>
          <Group gap="sm" wrap="nowrap">
            <SearchButton onClick={() => shortcuts.show('palette')} />
            <UserMenu onKeyboardHelp={() => shortcuts.show('help')} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={shell.menu}>
        <Navigation />
      </AppShell.Navbar>
      <LazyOverlays {...shortcuts} />
      <AppShell.Main id="content" tabIndex={-1}>
        {/* The padding keeps notifications from covering the end of the page. */}
        <Box maw={1080} mx="auto" pb={112}>
          <SupportBanner />
          <ConnectionBanner />
          {children}
        </Box>
      </AppShell.Main>
    </AppShell>
  )
}
