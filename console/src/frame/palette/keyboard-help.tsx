import { Kbd, Modal, Stack, Switch, Table, Text } from '@mantine/core'
import { shell } from '../../text/shell.ts'
import { MOD_KEY } from './use-shortcuts.ts'

const text = shell.keyboard

interface KeyboardHelpProps {
  opened: boolean
  onClose: () => void
  singleKeys: boolean
  setSingleKeys: (on: boolean) => void
}

/** All keyboard shortcuts. Those of a single key can be turned off (WCAG 2.1.4). */
export function KeyboardHelp({ opened, onClose, singleKeys, setSingleKeys }: KeyboardHelpProps) {
  const shortcuts: [keys: string[], meaning: string][] = [
    [[MOD_KEY, 'K'], text.palette],
    [['/'], text.palette],
    [['?'], text.help],
    [['Tab'], text.next],
    [['↑', '↓'], text.move],
    [['←', '→'], text.chart],
    [['Enter'], text.open],
    [['Esc'], text.close],
  ]
  return (
    <Modal opened={opened} onClose={onClose} title={text.title} closeButtonProps={{ 'aria-label': shell.close }}>
      <Stack>
        <Table aria-label={text.title}>
          <Table.Tbody>
            {shortcuts.map(([keys, meaning]) => (
              <Table.Tr key={keys.join()}>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>
                  {/* Keys that are pressed together have one order on every keyboard. */}
                  <span dir="ltr">
                    {keys.map((key) => (
                      <Kbd key={key} mx={2}>
                        {key}
                      </Kbd>
                    ))}
                  </span>
                </Table.Td>
                <Table.Td>
                  <Text size="sm">{meaning}</Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Switch
          label={text.singleKeys}
          description={text.singleKeysText}
          checked={singleKeys}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  )
}
