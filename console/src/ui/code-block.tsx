import { Box, Code, Group, Text } from '@mantine/core'
import { Copy } from './copy.tsx'

export const CodeBlock = ({ title, code, copy }: { title?: string; code: string; copy: string }) => (
  <Box>
    <Group justify="space-between" wrap="nowrap" mih={30}>
      <Text size="sm" fw={600} ff={title?.includes('.') ? 'monospace' : undefined}>
        {title}
      </Text>
      <Copy value={code} label={copy} />
    </Group>
    <Code
      block
      // A scrollable region must be reachable by keyboard (WCAG 2.1.1).
      tabIndex={0}
      role="region"
      aria-label={title ?? copy}
      mah={420}
      style={{ overflow: 'auto', whiteSpace: 'pre', overflowWrap: 'normal', fontSize: 13 }}
    >
      {code}
    </Code>
  </Box>
)
