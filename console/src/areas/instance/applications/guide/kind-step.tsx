import { Group, Radio, Stack, Text, Title } from '@mantine/core'
import { clients } from '../../../../text/clients.ts'
import { guide } from '../../../../text/guide.ts'
import type { DraftFields } from '../clients/address-fields.tsx'
import { KINDS, type Kind } from '../clients/client-draft.ts'
import { defaultDraft } from './defaults.ts'

const text = guide.kind

export const KindStep = ({ draft, change }: DraftFields) => (
  <>
    <Title order={2} size="h3">
      {text.title}
    </Title>
    <Radio.Group value={draft.kind} onChange={(kind) => change(defaultDraft(kind as Kind))} aria-label={text.label}>
      <Stack gap="sm">
        {KINDS.map((kind) => (
          <Radio.Card key={kind} value={kind} p="md" radius="md" aria-label={clients.kinds[kind].label}>
            <Group wrap="nowrap" align="flex-start">
              <Radio.Indicator mt={3} />
              <div>
                <Text fw={600}>{clients.kinds[kind].label}</Text>
                <Text size="sm" c="dimmed">
                  {clients.kinds[kind].description}
                </Text>
              </div>
            </Group>
          </Radio.Card>
        ))}
      </Stack>
    </Radio.Group>
  </>
)
