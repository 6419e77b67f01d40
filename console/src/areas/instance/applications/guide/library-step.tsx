import { Group, Radio, Stack, Text, Title } from '@mantine/core'
import { clients } from '../../../../text/clients.ts'
import { guide } from '../../../../text/guide.ts'
import type { DraftFields } from '../clients/address-fields.tsx'
import { KINDS, type Kind } from '../clients/client-draft.ts'
import { LibraryField } from '../clients/library-field.tsx'
import { defaultDraft } from './defaults.ts'

const text = guide.library

/** The library decides the kind and the addresses. The kind can be changed, or chosen without a library. */
export const LibraryStep = ({ draft, change }: DraftFields) => (
  <>
    <div>
      <Title order={2} size="h3">
        {text.title}
      </Title>
      <Text c="dimmed" size="sm" mt={4}>
        {text.text}
      </Text>
    </div>
    <LibraryField draft={draft} change={change} />
    <Radio.Group value={draft.kind} onChange={(kind) => change(defaultDraft(kind as Kind))} label={text.kind}>
      <Stack gap="sm" mt="xs">
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
