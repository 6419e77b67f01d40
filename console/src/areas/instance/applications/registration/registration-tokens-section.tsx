import type { Reply } from '@latchkey/client'
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation, useApiQuery } from '../../../../api/use-api.ts'
import { registrationTokens as text } from '../../../../text/registration-tokens.ts'
import { shell } from '../../../../text/shell.ts'
import { useConfirm } from '../../../../ui/confirm.tsx'
import { Icon } from '../../../../ui/icon.tsx'
import { showSuccess } from '../../../../ui/notifications.tsx'
import { OneTimeSecret } from '../../../../ui/one-time-secret.tsx'
import { Section } from '../../../../ui/section.tsx'
import { RelativeTime } from '../../../../ui/time.tsx'
import { useDialogDraft } from '../../../../ui/use-dialog-draft.ts'
import { newTokenDraft, RegistrationTokenDialog, type TokenDraft } from './registration-token-dialog.tsx'

type TokenPage = Reply<'GET /api/admin/registration-tokens'>
type Token = TokenPage['registrationTokens'][number]

/** The tokens with which clients register themselves. Hidden where clients cannot, and none is left. */
export function RegistrationTokensSection() {
  const { data } = useApiQuery('GET /api/admin/registration-tokens', { input: { query: { page: 1, limit: 100 } } })
  if (!data || (data.clientRegistration === 'off' && data.registrationTokens.length === 0)) return null
  return <Tokens {...data} />
}

function Tokens({ registrationTokens, clientRegistration }: TokenPage) {
  const dialog = useDialogDraft<TokenDraft>(newTokenDraft())
  const [secret, setSecret] = useState<string>()
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => dialog.open(newTokenDraft())}>
      {text.add}
    </Button>
  )
  return (
    <Section title={text.title} lead={`${text.lead} ${text.policies[clientRegistration]}`} actions={add}>
      <RegistrationTokenDialog dialog={dialog} onCreated={setSecret} />
      <NewToken secret={secret} onClose={() => setSecret(undefined)} />
      {registrationTokens.length === 0 && <Text size="sm">{text.none}</Text>}
      {registrationTokens.map((token) => (
        <TokenRow key={token.id} token={token} />
      ))}
    </Section>
  )
}

function TokenRow({ token: { id, name, uses, maxUses, redirectHosts, expiresAt } }: { token: Token }) {
  const [dialog, ask] = useConfirm()
  const revoke = useApiMutation('DELETE /api/admin/registration-tokens/{id}', {
    invalidates: ['GET /api/admin/registration-tokens'],
    onSuccess: () => showSuccess(text.wasRevoked(name)),
  })
  const question = { title: text.revokeQuestion(name), text: text.revokeText, action: text.revokeAction }
  return (
    <Group justify="space-between" align="flex-start" gap="xs">
      {dialog}
      <div>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {text.used(uses, maxUses)} · {redirectHosts?.join(', ') ?? text.anyHost} ·{' '}
          {text.expires(<RelativeTime at={expiresAt} />)}
        </Text>
      </div>
      <Button
        size="compact-sm"
        variant="default"
        c="red"
        onClick={() => ask(question, () => revoke.mutateAsync({ path: { id } }))}
        aria-label={text.revokeOf(name)}
      >
        {text.revoke}
      </Button>
    </Group>
  )
}

const NewToken = ({ secret, onClose }: { secret: string | undefined; onClose: () => void }) => (
  <Modal
    opened={secret !== undefined}
    onClose={onClose}
    title={text.newTitle}
    closeOnClickOutside={false}
    closeButtonProps={{ 'aria-label': shell.close }}
  >
    <Stack>
      <OneTimeSecret label={text.label} value={secret ?? ''} copy={text.copy} />
      <Group justify="flex-end">
        <Button onClick={onClose}>{text.done}</Button>
      </Group>
    </Stack>
  </Modal>
)
