import { Button, CopyButton, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { saveFile } from '../../../api/download.ts'
import { useMe } from '../../../me.tsx'
import { security } from '../../../text/security.ts'
import { shell } from '../../../text/shell.ts'
import { Icon } from '../../../ui/icon.tsx'

const { codes: text } = security

interface CodesDialogProps {
  title: string
  opened: boolean
  onClose: () => void
  /** Shown instead of the children. */
  codes: string[] | undefined
  children: ReactNode
}

/** A dialog that may end with recovery codes, which stay until the user confirms to have saved them. */
export const CodesDialog = ({ title, opened, onClose, codes, children }: CodesDialogProps) => (
  <Modal
    opened={opened}
    onClose={onClose}
    title={codes ? text.title : title}
    closeButtonProps={{ 'aria-label': shell.close }}
    {...(codes && { withCloseButton: false, closeOnEscape: false, closeOnClickOutside: false })}
  >
    {codes ? <RecoveryCodes codes={codes} onConfirm={onClose} /> : children}
  </Modal>
)

function RecoveryCodes({ codes, onConfirm }: { codes: string[]; onConfirm: () => void }) {
  const { profile } = useMe()
  const start = useRef<HTMLDivElement>(null)
  useEffect(() => start.current?.focus(), [])
  const lines = `${codes.join('\n')}\n`
  const download = () => {
    const header = text.header(profile.email, window.location.origin)
    saveFile(text.file, new Blob([`${header}\n\n${lines}`], { type: 'text/plain' }))
  }
  return (
    <Stack>
      <Text size="sm" ref={start} tabIndex={-1} style={{ outline: 'none' }}>
        {text.text}
      </Text>
      <SimpleGrid
        component="ul"
        cols={{ base: 1, xs: 2 }}
        spacing={6}
        p="sm"
        m={0}
        aria-label={text.list}
        className="recovery-codes"
        bg="var(--mantine-color-default-hover)"
        bdrs="md"
      >
        {codes.map((code) => (
          <Text component="li" key={code} ff="monospace" dir="ltr" ta="center" style={{ listStyle: 'none' }}>
            {code}
          </Text>
        ))}
      </SimpleGrid>
      <Group grow gap="xs">
        <CopyButton value={lines}>
          {({ copied, copy }) => (
            <Button variant="default" leftSection={<Icon name={copied ? 'check' : 'copy'} size={16} />} onClick={copy}>
              {copied ? shell.copied : text.copy}
            </Button>
          )}
        </CopyButton>
        <Button variant="default" leftSection={<Icon name="download" size={16} />} onClick={download}>
          {text.download}
        </Button>
        <Button variant="default" leftSection={<Icon name="print" size={16} />} onClick={() => window.print()}>
          {text.print}
        </Button>
      </Group>
      <Button onClick={onConfirm}>{text.kept}</Button>
    </Stack>
  )
}
