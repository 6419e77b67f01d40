import { Avatar, Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { useLocation } from 'wouter'
import { useMe } from '../me.tsx'
import { signOut } from '../session/session.ts'
import { shell } from '../text/shell.ts'
import { Icon } from '../ui/icon.tsx'

const SCHEMES = [
  ['auto', 'contrast'],
  ['light', 'sun'],
  ['dark', 'moon'],
] as const

/** The menu of the signed-in user: account, color scheme, keyboard help and sign-out. */
export function UserMenu({ onKeyboardHelp }: { onKeyboardHelp: () => void }) {
  const { profile } = useMe()
  const [, navigate] = useLocation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton>
          <VisuallyHidden>{`${shell.account}: ${profile.displayName}`}</VisuallyHidden>
          <Avatar aria-hidden name={profile.displayName} color="initials" radius="xl" size={34} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
            {profile.displayName}
          </Text>
          <Text size="xs" truncate>
            {profile.email}
          </Text>
        </Menu.Label>
        <Menu.Item leftSection={<Icon name="user" size={16} />} onClick={() => navigate('/account/profile')}>
          {shell.account}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{shell.colorScheme.label}</Menu.Label>
        {SCHEMES.map(([scheme, icon]) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon name={icon} size={16} />}
            rightSection={colorScheme === scheme ? <Icon name="check" size={16} /> : null}
            onClick={() => setColorScheme(scheme)}
          >
            {shell.colorScheme[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="keyboard" size={16} />} onClick={onKeyboardHelp}>
          {shell.keyboard.title}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="out" size={16} />} onClick={() => void signOut()}>
          {shell.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
