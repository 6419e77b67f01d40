import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useApiMutation, useApiQuery } from '../../../../api/use-api.ts'
import { resources as text } from '../../../../text/resources.ts'
import { shell } from '../../../../text/shell.ts'
import { useConfirm } from '../../../../ui/confirm.tsx'
import { Copyable } from '../../../../ui/copy.tsx'
import { Icon } from '../../../../ui/icon.tsx'
import { showSuccess } from '../../../../ui/notifications.tsx'
import { Pager } from '../../../../ui/pager.tsx'
import { Section } from '../../../../ui/section.tsx'
import { EmptyState, QueryContent } from '../../../../ui/states.tsx'
import { useDialogDraft } from '../../../../ui/use-dialog-draft.ts'
import { useFilters } from '../../../../ui/use-filters.ts'
import { ResourceDialog } from './resource-dialog.tsx'
import { newResourceDraft, type Resource, type ResourceDraft, toResourceDraft } from './resource-draft.ts'

/** The APIs of an application that have tokens of their own. */
export function ResourcesSection({ applicationId }: { applicationId: string }) {
  const { page, set } = useFilters([])
  const query = useApiQuery('GET /api/admin/resources', { input: { query: { applicationId, page, limit: 20 } } })
  const dialog = useDialogDraft<ResourceDraft>(newResourceDraft())
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => dialog.open(newResourceDraft())}>
      {text.add}
    </Button>
  )
  return (
    <Section title={text.title} lead={text.lead} actions={add}>
      <ResourceDialog dialog={dialog} applicationId={applicationId} />
      <QueryContent query={query} skeletonRows={2} skeletonHeight={100}>
        {({ resources, pagination }) =>
          resources.length === 0 ? (
            <Paper>
              <EmptyState icon="key" title={text.none.title} text={text.none.text} />
            </Paper>
          ) : (
            <Stack gap="md" aria-busy={query.isPlaceholderData}>
              {resources.map((resource) => (
                <ResourceCard
                  key={resource.id}
                  resource={resource}
                  edit={() => dialog.open(toResourceDraft(resource))}
                />
              ))}
              <Pager pagination={pagination} onPage={(next) => set({ page: next })} />
            </Stack>
          )
        }
      </QueryContent>
    </Section>
  )
}

const ResourceCard = ({ resource, edit }: { resource: Resource; edit: () => void }) => (
  <Paper component="article" p="md" aria-label={resource.name}>
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start" gap="xs">
        <Title order={3} size="h5">
          {resource.name}
        </Title>
        <Actions resource={resource} edit={edit} />
      </Group>
      <Copyable value={resource.uri} label={text.copyUri(resource.name)} />
      <Fact label={text.scopes} values={resource.scopes} />
      <Fact label={text.allowedClients} values={resource.allowedClients} />
      {resource.allowDynamicClients && <Text size="sm">{text.allowDynamicClients}</Text>}
    </Stack>
  </Paper>
)

const Fact = ({ label, values }: { label: string; values: string[] }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text size="sm">{values.join(' ') || shell.none}</Text>
  </div>
)

function Actions({ resource: { id, name, uri }, edit }: { resource: Resource; edit: () => void }) {
  const [dialog, ask] = useConfirm()
  const remove = useApiMutation('DELETE /api/admin/resources/{id}', {
    invalidates: ['GET /api/admin/resources'],
    onSuccess: () => showSuccess(text.wasDeleted(name)),
  })
  const question = {
    title: text.deleteQuestion(name),
    text: text.deleteText,
    action: text.deleteAction,
    confirmText: uri,
  }
  return (
    <Group gap="xs" wrap="nowrap">
      {dialog}
      <Button size="compact-sm" variant="default" onClick={edit} aria-label={text.editOf(name)}>
        {text.edit}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        c="red"
        onClick={() => ask(question, () => remove.mutateAsync({ path: { id } }))}
        aria-label={text.deleteOf(name)}
      >
        {text.delete}
      </Button>
    </Group>
  )
}
