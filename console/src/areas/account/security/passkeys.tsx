import type { Reply } from '@latchkey/client'
import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation, useApiQuery } from '../../../api/use-api.ts'
import { supportsPasskeys } from '../../../lib/passkeys.ts'
import { useMe } from '../../../me.tsx'
import { security } from '../../../text/security.ts'
import { Icon } from '../../../ui/icon.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { EmptyState, QueryContent } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { inlineErrors, toPasswordField } from '../form-options.ts'
import { ReauthenticationDialog } from '../reauthentication-form.tsx'
import { AddPasskey } from './add-passkey.tsx'
import { SettingRow } from './setting-row.tsx'

const { passkeys: text } = security

type Passkey = Reply<'GET /api/users/me/mfa/passkeys'>['passkeys'][number]

export function PasskeysSection() {
  const query = useApiQuery('GET /api/users/me/mfa/passkeys', { input: {} })
  const { profile } = useMe()
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Passkey>()
  const isSupported = supportsPasskeys()
  const add = isSupported && (
    <Button
      variant="default"
      leftSection={<Icon name="plus" size={16} />}
      onClick={() => setAdding(true)}
      disabled={!profile.emailVerified}
    >
      {text.add}
    </Button>
  )
  return (
    <Section title={text.title} lead={isSupported ? text.lead : text.unsupported} actions={add}>
      <QueryContent query={query} skeletonRows={2} skeletonHeight={56}>
        {({ passkeys }) =>
          passkeys.length > 0 ? (
            <Stack component="ul" gap="md" p={0} m={0} aria-label={text.title} style={{ listStyle: 'none' }}>
              {passkeys.map((passkey) => (
                <PasskeyLine key={passkey.id} passkey={passkey} onRemove={() => setRemoving(passkey)} />
              ))}
            </Stack>
          ) : (
            <EmptyState icon="key" title={text.empty} text={text.emptyText} />
          )
        }
      </QueryContent>
      <AddPasskey opened={adding} close={() => setAdding(false)} />
      <RemovePasskey passkey={removing} close={() => setRemoving(undefined)} />
    </Section>
  )
}

function RemovePasskey({ passkey, close }: { passkey: Passkey | undefined; close: () => void }) {
  const remove = useApiMutation('DELETE /api/users/me/mfa/passkeys/{id}', {
    ...inlineErrors,
    invalidates: ['GET /api/users/me/mfa/passkeys', 'GET /api/users/me/mfa', 'GET /api/users/me'],
  })
  return (
    <ReauthenticationDialog
      title={text.removeTitle}
      opened={passkey !== undefined}
      text={passkey && text.removeText(passkey.name)}
      action={security.remove}
      isDestructive
      passwordPrompt="when-old"
      onCancel={close}
      submit={async (password) => {
        if (!passkey) return
        await remove.mutateAsync({ path: { id: passkey.id }, body: toPasswordField(password) })
        showSuccess(text.removed(passkey.name))
        close()
      }}
    />
  )
}

const PasskeyLine = ({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) => (
  <SettingRow
    component="li"
    title={passkey.name}
    badge={passkey.backedUp && <StatusBadge tone="calm">{text.synced}</StatusBadge>}
    text={
      <>
        {text.since(<RelativeTime at={passkey.createdAt} />)}
        {' · '}
        {passkey.lastUsedAt === null ? text.unused : text.used(<RelativeTime at={passkey.lastUsedAt} />)}
      </>
    }
    action={
      <Button variant="default" onClick={onRemove} aria-label={text.removeLabel(passkey.name)}>
        {security.remove}
      </Button>
    }
  />
)
