import { Box, Button, Group, List, Stack, Text } from '@mantine/core'
import { useLocation } from 'wouter'
import { useChange, useRead } from '../../../api/use-api.ts'
import { applications } from '../../../text/applications.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import type { Application } from './settings-section.tsx'

const text = applications.danger

/** The end of an application, and of everything that belongs to it. */
export function DangerZone({ application: { id, name, slug } }: { application: Application }) {
  const [, navigate] = useLocation()
  const [dialog, ask] = useConfirm()
  const clients = useRead('GET /api/admin/clients', { input: { query: { applicationId: id, limit: 1 } } })
  const types = useRead('GET /api/licensing/license-types', { input: { query: { applicationId: id } } })
  const remove = useChange('DELETE /api/admin/applications/{id}', {
    refreshes: ['GET /api/admin/applications', 'GET /api/admin/overview'],
    onDone: () => {
      showDone(text.done(name))
      navigate('/applications')
    },
  })
  const goes = (
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
              ask({ title: text.question(name), text: goes, action: text.action, typed: slug }, () =>
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
