import type { Reply } from '@latchkey/client'
import { Button, Group, Image, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useApiMutation } from '../../../api/use-api.ts'
import { security } from '../../../text/security.ts'
import { shell } from '../../../text/shell.ts'
import { Copyable } from '../../../ui/copy.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { FormError, hasErrorCode } from '../form-error.tsx'
import { inlineErrors, toPasswordField } from '../form-options.ts'
import { ReauthenticationForm } from '../reauthentication-form.tsx'
import { CodesDialog } from './recovery-codes.tsx'

const { setUp: text } = security
const QR_CODE_SIZE = 200

type TotpSetup = Reply<'POST /api/users/me/mfa/totp'>

/** Sets up an authenticator app (RFC 6238): scan the QR code, enter a code, save the recovery codes. */
export function SetUpApp({ opened, close }: { opened: boolean; close: () => void }) {
  const [setup, setSetup] = useState<TotpSetup>()
  const [codes, setCodes] = useState<string[]>()
  const startSetup = useApiMutation('POST /api/users/me/mfa/totp', inlineErrors)
  const reset = () => {
    close()
    setSetup(undefined)
  }
  // The codes stay visible during the closing animation and are cleared when the dialog opens again.
  useEffect(() => {
    if (opened) setCodes(undefined)
  }, [opened])
  return (
    <CodesDialog title={text.title} opened={opened} onClose={reset} codes={codes}>
      {setup ? (
        <Scan setup={setup} onSuccess={setCodes} onCancel={reset} />
      ) : (
        <ReauthenticationForm
          text={text.intro}
          action={text.next}
          passwordPrompt="when-old"
          onCancel={reset}
          submit={async (password) => setSetup(await startSetup.mutateAsync({ body: toPasswordField(password) }))}
        />
      )}
    </CodesDialog>
  )
}

interface ScanProps {
  setup: TotpSetup
  onSuccess: (codes: string[]) => void
  onCancel: () => void
}

function Scan({ setup, onSuccess, onCancel }: ScanProps) {
  const [code, setCode] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const verify = useApiMutation('POST /api/users/me/mfa/totp/verify', {
    ...inlineErrors,
    // The recovery codes are in this reply only.
    onSuccess: ({ recoveryCodes }) => onSuccess(recoveryCodes),
    invalidates: ['GET /api/users/me/mfa', 'GET /api/users/me'],
  })
  const form = useSubmit(() => verify.mutateAsync({ body: { code } }))
  const isWrong = hasErrorCode(form.error, 'INVALID_CODE')
  return (
    <form onSubmit={form.onSubmit}>
      <Stack>
        <Text size="sm">{text.scan}</Text>
        <Image
          src={setup.qrCode}
          alt={text.picture}
          w={QR_CODE_SIZE}
          h={QR_CODE_SIZE}
          mx="auto"
          radius="md"
          bg="white"
          p="xs"
        />
        <div>
          <Text size="sm" mb={4}>
            {text.byHand}
          </Text>
          <Copyable value={setup.secret} label={text.copyKey} />
        </div>
        {form.error !== undefined && !isWrong && <FormError error={form.error} />}
        <TextInput
          ref={field}
          label={text.code}
          description={text.codeHint}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={isWrong ? (form.error as Error).message : undefined}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={20}
          required
          withAsterisk={false}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {shell.cancel}
          </Button>
          <Button type="submit" loading={form.busy}>
            {text.confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
