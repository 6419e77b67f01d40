import type { Reply } from '@latchkey/client'
import { Button, Divider, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation, useApiQuery } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { security } from '../../../text/security.ts'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { QueryContent } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { inlineErrors, toPasswordField } from '../form-options.ts'
import { ReauthenticationDialog, ReauthenticationForm } from '../reauthentication-form.tsx'
import { CodesDialog } from './recovery-codes.tsx'
import { SetUpApp } from './set-up-app.tsx'
import { SettingRow } from './setting-row.tsx'

const { twoStep: text } = security
/** At this number of recovery codes, the user is asked to create new ones. */
const LOW_CODES = 2

export type Factors = Reply<'GET /api/users/me/mfa'>

export function TwoStepSection() {
  const query = useApiQuery('GET /api/users/me/mfa', { input: {} })
  return (
    <Section title={text.title} lead={text.lead}>
      <QueryContent query={query} skeletonRows={1} skeletonHeight={48}>
        {(factors) => (
          <Stack gap="md">
            <AppLine factors={factors} />
            {factors.mfaEnabled && (
              <>
                <Divider />
                <CodesLine left={factors.recoveryCodesLeft} />
              </>
            )}
          </Stack>
        )}
      </QueryContent>
    </Section>
  )
}

function AppLine({ factors: { totp } }: { factors: Factors }) {
  const { profile } = useMe()
  const [open, setOpen] = useState<'set-up' | 'remove'>()
  const close = () => setOpen(undefined)
  const remove = useApiMutation('DELETE /api/users/me/mfa/totp', {
    ...inlineErrors,
    invalidates: ['GET /api/users/me/mfa', 'GET /api/users/me'],
  })
  return (
    <>
      <SettingRow
        title={text.app}
        badge={<StatusBadge tone={totp ? 'good' : 'calm'}>{totp ? security.on : security.off}</StatusBadge>}
        text={totp ? text.appOn : text.appOff}
        action={
          totp ? (
            <Button variant="default" onClick={() => setOpen('remove')}>
              {security.remove}
            </Button>
          ) : (
            <Button onClick={() => setOpen('set-up')} disabled={!profile.emailVerified}>
              {text.setUp}
            </Button>
          )
        }
      />
      <SetUpApp opened={open === 'set-up'} close={close} />
      <ReauthenticationDialog
        title={text.removeTitle}
        opened={open === 'remove'}
        text={text.removeText}
        action={security.remove}
        isDestructive
        passwordPrompt="always"
        onCancel={close}
        submit={async (password) => {
          await remove.mutateAsync({ body: toPasswordField(password) })
          showSuccess(text.removed)
          close()
        }}
      />
    </>
  )
}

function CodesLine({ left }: { left: number }) {
  const [open, setOpen] = useState(false)
  const [codes, setCodes] = useState<string[]>()
  const replace = useApiMutation('POST /api/users/me/mfa/recovery-codes', {
    ...inlineErrors,
    invalidates: ['GET /api/users/me/mfa'],
  })
  const isFew = left <= LOW_CODES
  return (
    <>
      <SettingRow
        title={text.codes}
        badge={<StatusBadge tone={isFew ? 'bad' : 'calm'}>{text.codesLeft(left)}</StatusBadge>}
        text={
          <>
            {text.codesFor}
            {isFew && (
              <Text span size="sm" c="var(--mantine-color-text)" fw={600}>
                {` ${text.fewLeft}`}
              </Text>
            )}
          </>
        }
        action={
          <Button
            variant={isFew ? 'filled' : 'default'}
            onClick={() => {
              setCodes(undefined)
              setOpen(true)
            }}
          >
            {text.newCodes}
          </Button>
        }
      />
      <CodesDialog title={text.newTitle} opened={open} onClose={() => setOpen(false)} codes={codes}>
        <ReauthenticationForm
          text={text.newText}
          action={text.newCodes}
          passwordPrompt="always"
          onCancel={() => setOpen(false)}
          submit={async (password) => {
            const { recoveryCodes } = await replace.mutateAsync({ body: toPasswordField(password) })
            setCodes(recoveryCodes)
          }}
        />
      </CodesDialog>
    </>
  )
}
