import { ActionIcon, Button, Kbd } from '@mantine/core'
import { shell } from '../text/shell.ts'
import { Icon } from '../ui/icon.tsx'
import { MOD_KEY } from './palette/use-shortcuts.ts'

/** Opens the command palette: with its shortcut on wide screens, an icon on a phone. */
export const SearchButton = ({ onClick }: { onClick: () => void }) => (
  <>
    <Button
      visibleFrom="sm"
      variant="default"
      size="compact-md"
      fw={400}
      onClick={onClick}
      leftSection={<Icon name="search" size={16} />}
      rightSection={
        <Kbd size="xs" aria-hidden="true">
          {MOD_KEY} K
        </Kbd>
      }
    >
      {shell.search}
    </Button>
    <ActionIcon hiddenFrom="sm" variant="subtle" color="gray" size="lg" onClick={onClick} aria-label={shell.search}>
      <Icon name="search" />
    </ActionIcon>
  </>
)
