import { Button, Divider, Stack, Text } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { useState } from 'react'
import { useChange, useRead } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { security } from '../../../text/security.ts'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { ConfirmedDialog, ConfirmedForm } from '../confirmed-form.tsx'
import { shownInForm, withPassword } from '../inline.ts'
import { Line } from './line.tsx'
import { CodesDialog } from './recovery-codes.tsx'
import { SetUpApp } from './set-up-app.tsx'

const { twoStep: text } = security
/** With so few left it is time for new ones. */
const FEW = 2

export type Factors = Reply<'GET /api/users/me/mfa'>

export function TwoStepSection() {
  const query = useRead('GET /api/users/me/mfa', { input: {} })
  return (
    <Section title={text.title} lead={text.lead}>
      <Loaded query={query} rows={1} height={48}>
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
      </Loaded>
    </Section>
  )
}

function AppLine({ factors: { totp } }: { factors: Factors }) {
  const { profile } = useMe()
  const [open, setOpen] = useState<'set-up' | 'remove'>()
  const close = () => setOpen(undefined)
  const remove = useChange('DELETE /api/users/me/mfa/totp', {
    ...shownInForm,
    refreshes: ['GET /api/users/me/mfa', 'GET /api/users/me'],
  })
  return (
    <>
      <Line
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
      <ConfirmedDialog
        title={text.removeTitle}
        opened={open === 'remove'}
        text={text.removeText}
        action={security.remove}
        hurts
        asks="always"
        onCancel={close}
        submit={async (password) => {
          await remove.mutateAsync({ body: withPassword(password) })
          showDone(text.removed)
          close()
        }}
      />
    </>
  )
}

function CodesLine({ left }: { left: number }) {
  const [open, setOpen] = useState(false)
  const [codes, setCodes] = useState<string[]>()
  const replace = useChange('POST /api/users/me/mfa/recovery-codes', {
    ...shownInForm,
    refreshes: ['GET /api/users/me/mfa'],
  })
  const isFew = left <= FEW
  return (
    <>
      <Line
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
        <ConfirmedForm
          text={text.newText}
          action={text.newCodes}
          asks="always"
          onCancel={() => setOpen(false)}
          submit={async (password) => {
            const { recoveryCodes } = await replace.mutateAsync({ body: withPassword(password) })
            setCodes(recoveryCodes)
          }}
        />
      </CodesDialog>
    </>
  )
}
