import { ActionIcon, Button, Group, Menu, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { useApiMutation, useApiQuery } from '../../../../api/use-api.ts'
import { clients as text } from '../../../../text/clients.ts'
import { shell } from '../../../../text/shell.ts'
import { useConfirm } from '../../../../ui/confirm.tsx'
import { Copyable } from '../../../../ui/copy.tsx'
import { Icon } from '../../../../ui/icon.tsx'
import { showSuccess } from '../../../../ui/notifications.tsx'
import { StatusBadge } from '../../../../ui/status-badge.tsx'
import { Tag } from '../../../../ui/tag.tsx'
import type { Client } from './client-draft.ts'
import { ClientSecrets } from './client-secrets.tsx'
import type { Connection } from './connection.ts'
import { useToggleDisabled } from './use-toggle-disabled.ts'

interface ClientCardProps {
  client: Client
  edit: () => void
  connect: (connection: Connection) => void
}

/** A client with its settings and secrets. */
export function ClientCard({ client, edit, connect }: ClientCardProps) {
  return (
    <Paper component="article" p="md" aria-label={client.name}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="xs">
          <Group gap="xs" miw={0}>
            <Title order={3} size="h5">
              {client.name}
            </Title>
            <Tag>{text.kinds[client.kind].short}</Tag>
            {client.origin !== 'ADMIN' && <Tag>{text.origins[client.origin]}</Tag>}
            {client.disabled && <StatusBadge tone="bad">{text.disabled}</StatusBadge>}
          </Group>
          <Actions client={client} edit={edit} connect={connect} />
        </Group>
        <Facts client={client} />
        {client.tokenEndpointAuthMethod === 'client_secret' && <ClientSecrets client={client} />}
      </Stack>
    </Paper>
  )
}

function Actions({ client, edit, connect }: ClientCardProps) {
  const { id, name, disabled } = client
  const [dialog, ask] = useConfirm()
  const setDisabled = useToggleDisabled()
  const remove = useApiMutation('DELETE /api/admin/clients/{id}', {
    invalidates: ['GET /api/admin/clients', 'GET /api/admin/overview'],
    onSuccess: () => showSuccess(text.wasDeleted(name)),
  })
  const question = {
    title: text.deleteQuestion(name),
    text: text.deleteText,
    action: text.deleteAction,
    confirmText: client.clientId,
  }
  return (
    <Group gap="xs" wrap="nowrap">
      {dialog}
      <Button size="compact-sm" variant="default" onClick={edit} aria-label={text.editOf(name)}>
        {text.edit}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={26} aria-label={text.moreOf(name)}>
            <Icon name="dots" size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="link" size={16} />} onClick={() => connect({ client })}>
            {text.connect}
          </Menu.Item>
          {client.backchannelLogoutUri !== null && (
            <Menu.Item
              leftSection={<Icon name="hook" size={16} />}
              component={Link}
              href={`/applications/${client.applicationId}/clients/${id}/logouts`}
            >
              {text.logouts.title}
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<Icon name={disabled ? 'play' : 'cross'} size={16} />}
            onClick={() => setDisabled(client, !disabled)}
          >
            {disabled ? text.enable : text.disable}
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<Icon name="trash" size={16} />}
            onClick={() => ask(question, () => remove.mutateAsync({ path: { id } }))}
          >
            {text.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

const Facts = ({ client }: { client: Client }) => (
  <SimpleGrid component="dl" cols={{ base: 1, sm: 2 }} verticalSpacing="xs" m={0}>
    <Fact label={text.clientId}>
      <Copyable value={client.clientId} label={text.copyId(client.name)} />
    </Fact>
    <Fact label={text.scopes}>{client.scopes.join(' ') || shell.none}</Fact>
    {client.kind === 'MACHINE' ? (
      <Fact label={text.tenant}>
        {client.tenantId === null ? text.wholeInstance : <TenantName id={client.tenantId} />}
      </Fact>
    ) : (
      <>
        <Fact label={text.redirectUris}>{client.redirectUris.join('\n')}</Fact>
        <Fact label={text.postLogoutRedirectUris}>{client.postLogoutRedirectUris.join('\n') || shell.none}</Fact>
        <Fact label={text.allowedOrigins}>{client.allowedOrigins.join('\n') || shell.none}</Fact>
        {client.backchannelLogoutUri !== null && (
          <Fact label={text.backchannelLogoutUri}>{client.backchannelLogoutUri}</Fact>
        )}
      </>
    )}
  </SimpleGrid>
)

const Fact = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <div>
    <Text component="dt" size="xs" c="dimmed">
      {label}
    </Text>
    <Text component="dd" m={0} size="sm" style={{ whiteSpace: 'pre-line' }}>
      {children}
    </Text>
  </div>
)

/** Shows the id until the name is loaded. */
function TenantName({ id }: { id: string }) {
  const { data } = useApiQuery('GET /api/admin/tenants/{id}', { input: { path: { id } } })
  return data?.name ?? id
}
