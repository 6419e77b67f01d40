import { Button, Group, Image, Stack, Text, TextInput } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { useEffect, useRef, useState } from 'react'
import { useChange } from '../../../api/use-api.ts'
import { security } from '../../../text/security.ts'
import { shell } from '../../../text/shell.ts'
import { Copyable } from '../../../ui/copy.tsx'
import { useForm } from '../../../ui/form-dialog.tsx'
import { ConfirmedForm } from '../confirmed-form.tsx'
import { shownInForm, withPassword } from '../inline.ts'
import { isRefusedFor, Refusal } from '../refusal.tsx'
import { CodesDialog } from './recovery-codes.tsx'

const { setUp: text } = security
const PICTURE = 200

type NewApp = Reply<'POST /api/users/me/mfa/totp'>

/** From no app to one that counts: have it at hand, let it scan, prove that it works, keep the codes. */
export function SetUpApp({ opened, close }: { opened: boolean; close: () => void }) {
  const [app, setApp] = useState<NewApp>()
  const [codes, setCodes] = useState<string[]>()
  const begin = useChange('POST /api/users/me/mfa/totp', shownInForm)
  const leave = () => {
    close()
    setApp(undefined)
  }
  // The codes stay until the dialog has closed, and are forgotten when it opens again.
  useEffect(() => {
    if (opened) setCodes(undefined)
  }, [opened])
  return (
    <CodesDialog title={text.title} opened={opened} onClose={leave} codes={codes}>
      {app ? (
        <Scan app={app} onDone={setCodes} onCancel={leave} />
      ) : (
        <ConfirmedForm
          text={text.intro}
          action={text.next}
          asks="when-old"
          onCancel={leave}
          submit={async (password) => setApp(await begin.mutateAsync({ body: withPassword(password) }))}
        />
      )}
    </CodesDialog>
  )
}

interface ScanProps {
  app: NewApp
  onDone: (codes: string[]) => void
  onCancel: () => void
}

function Scan({ app, onDone, onCancel }: ScanProps) {
  const [code, setCode] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const verify = useChange('POST /api/users/me/mfa/totp/verify', {
    ...shownInForm,
    // First the codes, which are shown this once.
    onDone: ({ recoveryCodes }) => onDone(recoveryCodes),
    refreshes: ['GET /api/users/me/mfa', 'GET /api/users/me'],
  })
  const form = useForm(() => verify.mutateAsync({ body: { code } }))
  const isWrong = isRefusedFor(form.error, 'INVALID_CODE')
  return (
    <form onSubmit={form.onSubmit}>
      <Stack>
        <Text size="sm">{text.scan}</Text>
        <Image
          src={app.qrCode}
          alt={text.picture}
          w={PICTURE}
          h={PICTURE}
          mx="auto"
          radius="md"
          bg="white"
          p="xs"
        />
        <div>
          <Text size="sm" mb={4}>
            {text.byHand}
          </Text>
          <Copyable value={app.secret} label={text.copyKey} />
        </div>
        {form.error !== undefined && !isWrong && <Refusal error={form.error} />}
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
