import { Box, Button, Group, List, Stack, Text } from '@mantine/core'
import { useLocation } from 'wouter'
import { useApiMutation, useApiQuery } from '../../../api/use-api.ts'
import { applications } from '../../../text/applications.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { forgetApplication } from './last-application.ts'
import type { Application } from './types.ts'

const text = applications.danger

/** Deletes an application with its dependent data. */
export function DangerZone({ application: { id, name, slug } }: { application: Application }) {
  const [, navigate] = useLocation()
  const [dialog, ask] = useConfirm()
  const clients = useApiQuery('GET /api/admin/clients', { input: { query: { applicationId: id, limit: 1 } } })
  const types = useApiQuery('GET /api/licensing/license-types', { input: { query: { applicationId: id } } })
  const remove = useApiMutation('DELETE /api/admin/applications/{id}', {
    invalidates: ['GET /api/admin/applications', 'GET /api/admin/overview'],
    onSuccess: () => {
      forgetApplication(id)
      showSuccess(text.done(name))
      navigate('/applications')
    },
  })
  const consequences = (
    <Stack gap="xs">
      <Text size="sm">{text.goes}</Text>
      <List size="sm">
        {clients.data !== undefined && <List.Item>{text.clients(clients.data.pagination.total)}</List.Item>}
        {types.data !== undefined && <List.Item>{text.licenseTypes(types.data.length)}</List.Item>}
        <List.Item>{text.subscriptions}</List.Item>
        <List.Item>{text.branding}</List.Item>
      </List>
      <Text size="sm">{text.nobody}</Text>
    </Stack>
  )
  return (
    <Box mt="lg">
      {dialog}
      <Section title={text.title} lead={text.lead}>
        <Group>
          <Button
            color="red"
            variant="outline"
            leftSection={<Icon name="trash" size={16} />}
            onClick={() =>
              ask({ title: text.question(name), text: consequences, action: text.action, confirmText: slug }, () =>
                remove.mutateAsync({ path: { id } }),
              )
            }
          >
            {text.action}
          </Button>
        </Group>
      </Section>
    </Box>
  )
}
