import { Alert, Button, Stack } from '@mantine/core'
import { LatchkeyError } from 'latchkey-sdk/error'
import { NoPasskey } from '../../lib/passkeys.ts'
import { useMe } from '../../me.tsx'
import { signIn } from '../../session/session.ts'
import { account } from '../../text/account.ts'
import { security } from '../../text/security.ts'
import { Icon } from '../../ui/icon.tsx'
import { Problem } from '../../ui/states.tsx'

export const isRefusedFor = (error: unknown, code: string): error is LatchkeyError =>
  error instanceof LatchkeyError && error.code === code

/** The person must show again who they are: by their password where they have one, or by signing in anew. */
export const isTooOld = (error: unknown): boolean => isRefusedFor(error, 'REAUTHENTICATION_REQUIRED')

const { refusals, failed } = security.passkeys

/** Why something was refused, with the way on that there is. */
export function Refusal({ error }: { error: unknown }) {
  const { profile } = useMe()
  if (error instanceof NoPasskey) {
    return (
      <Alert color="red" icon={<Icon name="warning" />} role="alert">
        {refusals[error.reason] ?? failed}
      </Alert>
    )
  }
  if (!isTooOld(error)) return <Problem error={error} />
  const { pathname, search } = window.location
  return (
    <Stack gap="xs" align="stretch">
      <Problem error={error} />
      <Button
        variant="light"
        onClick={() => void signIn(pathname + search, { again: true, hint: profile.email })}
      >
        {account.signInAgain}
      </Button>
    </Stack>
  )
}
