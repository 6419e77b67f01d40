import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { useApiQuery } from '../../../api/use-api.ts'
import { licenseTypes as text } from '../../../text/license-types.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Section } from '../../../ui/section.tsx'
import { EmptyState, QueryContent } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { useDialogDraft } from '../../../ui/use-dialog-draft.ts'
import { LicenseTypeDialog, newLicenseTypeDraft, toLicenseTypeDraft } from './license-type-dialog.tsx'
import type { LicenseType } from './types.ts'
import { useStatusChange } from './use-status-change.ts'

/** The license types of an application, in their order. */
export function LicenseTypesSection({ applicationId }: { applicationId: string }) {
  const query = useApiQuery('GET /api/licensing/license-types', { input: { query: { applicationId } } })
  const dialog = useDialogDraft(newLicenseTypeDraft([]))
  const setStatus = useStatusChange(applicationId)
  const add = (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      onClick={() => dialog.open(newLicenseTypeDraft(query.data ?? []))}
    >
      {text.add}
    </Button>
  )
  return (
    <Section title={text.title} lead={text.sectionLead} actions={add}>
      <LicenseTypeDialog dialog={dialog} applicationId={applicationId} />
      <QueryContent query={query} skeletonRows={3}>
        {(types) => (
          <DataTable
            label={text.title}
            rows={types}
            keyOf={({ id }) => id}
            empty={<EmptyState icon="tag" title={text.none.title} text={text.none.text} />}
            columns={[
              { title: text.name, cell: (type) => <Name type={type} /> },
              { title: text.features, cell: ({ features }) => <Features features={features} /> },
              { title: text.order, cell: ({ displayOrder }) => displayOrder, wideOnly: true },
              { title: text.status, cell: ({ status }) => <Status status={status} /> },
              {
                title: text.actions,
                actions: true,
                cell: (type) => (
                  <Actions type={type} edit={() => dialog.open(toLicenseTypeDraft(type))} setStatus={setStatus} />
                ),
              },
            ]}
          />
        )}
      </QueryContent>
    </Section>
  )
}

const Name = ({ type: { name, slug, description } }: { type: LicenseType }) => (
  <Stack gap={2}>
    <Group gap={8}>
      <Text fw={600} size="sm">
        {name}
      </Text>
      <Code>{slug}</Code>
    </Group>
    {description !== null && (
      <Text size="xs" c="dimmed" lineClamp={2}>
        {description}
      </Text>
    )}
  </Stack>
)

function Features({ features }: { features: LicenseType['features'] }) {
  const keys = Object.entries(features)
  if (keys.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {text.noFeatures}
      </Text>
    )
  }
  return (
    <Group gap={4}>
      {keys.map(([key, included]) => (
        <span key={key} {...(!included && { title: text.not(key) })}>
          <Tag crossed={!included}>{key}</Tag>
        </span>
      ))}
    </Group>
  )
}

const Status = ({ status }: { status: LicenseType['status'] }) => (
  <StatusBadge tone={status === 'ACTIVE' ? 'good' : 'calm'}>{text.statuses[status]}</StatusBadge>
)

interface ActionsProps {
  type: LicenseType
  edit: () => void
  setStatus: (type: LicenseType, status: LicenseType['status']) => void
}

function Actions({ type, edit, setStatus }: ActionsProps) {
  const isActive = type.status === 'ACTIVE'
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button size="compact-sm" variant="default" onClick={edit} aria-label={text.editOf(type.name)}>
        {text.edit}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => setStatus(type, isActive ? 'ARCHIVED' : 'ACTIVE')}
        aria-label={isActive ? text.archiveOf(type.name) : text.activateOf(type.name)}
      >
        {isActive ? text.archive : text.activate}
      </Button>
    </Group>
  )
}
