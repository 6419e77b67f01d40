import { Button, Stack } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { useState } from 'react'
import { useChange, useRead } from '../../../api/use-api.ts'
import { canMakePasskeys } from '../../../lib/passkeys.ts'
import { useMe } from '../../../me.tsx'
import { security } from '../../../text/security.ts'
import { Icon } from '../../../ui/icon.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { Moment } from '../../../ui/time.tsx'
import { ConfirmedDialog } from '../confirmed-form.tsx'
import { shownInForm, withPassword } from '../inline.ts'
import { AddPasskey } from './add-passkey.tsx'
import { Line } from './line.tsx'

const { passkeys: text } = security

type Passkey = Reply<'GET /api/users/me/mfa/passkeys'>['passkeys'][number]

export function PasskeysSection() {
  const query = useRead('GET /api/users/me/mfa/passkeys', { input: {} })
  const { profile } = useMe()
  const [adding, setAdding] = useState(false)
  const [going, setGoing] = useState<Passkey>()
  const isPossible = canMakePasskeys()
  const add = isPossible && (
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
    <Section title={text.title} lead={isPossible ? text.lead : text.unsupported} actions={add}>
      <Loaded query={query} rows={2} height={56}>
        {({ passkeys }) =>
          passkeys.length > 0 ? (
            <Stack component="ul" gap="md" p={0} m={0} aria-label={text.title} style={{ listStyle: 'none' }}>
              {passkeys.map((passkey) => (
                <PasskeyLine key={passkey.id} passkey={passkey} onRemove={() => setGoing(passkey)} />
              ))}
            </Stack>
          ) : (
            <Empty icon="key" title={text.empty} text={text.emptyText} />
          )
        }
      </Loaded>
      <AddPasskey opened={adding} close={() => setAdding(false)} />
      <RemovePasskey passkey={going} close={() => setGoing(undefined)} />
    </Section>
  )
}

function RemovePasskey({ passkey, close }: { passkey: Passkey | undefined; close: () => void }) {
  const remove = useChange('DELETE /api/users/me/mfa/passkeys/{id}', {
    ...shownInForm,
    refreshes: ['GET /api/users/me/mfa/passkeys', 'GET /api/users/me/mfa', 'GET /api/users/me'],
  })
  return (
    <ConfirmedDialog
      title={text.removeTitle}
      opened={passkey !== undefined}
      text={passkey && text.removeText(passkey.name)}
      action={security.remove}
      hurts
      asks="when-old"
      onCancel={close}
      submit={async (password) => {
        if (!passkey) return
        await remove.mutateAsync({ path: { id: passkey.id }, body: withPassword(password) })
        showDone(text.removed(passkey.name))
        close()
      }}
    />
  )
}

const PasskeyLine = ({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) => (
  <Line
    component="li"
    title={passkey.name}
    badge={passkey.backedUp && <StatusBadge tone="calm">{text.synced}</StatusBadge>}
    text={
      <>
        {text.since} <Moment at={passkey.createdAt} />
        {' · '}
        {passkey.lastUsedAt === null ? (
          text.unused
        ) : (
          <>
            {text.used} <Moment at={passkey.lastUsedAt} />
          </>
        )}
      </>
    }
    action={
      <Button variant="default" onClick={onRemove} aria-label={text.removeLabel(passkey.name)}>
        {security.remove}
      </Button>
    }
  />
)
