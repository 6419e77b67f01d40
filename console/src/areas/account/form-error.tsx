import { LatchkeyError } from '@latchkey/client/error'
import { Alert, Button, Stack } from '@mantine/core'
import { PasskeyError } from '../../lib/passkeys.ts'
import { useMe } from '../../me.tsx'
import { signIn } from '../../session/session.ts'
import { account } from '../../text/account.ts'
import { security } from '../../text/security.ts'
import { Icon } from '../../ui/icon.tsx'
import { ErrorAlert } from '../../ui/states.tsx'

export const hasErrorCode = (error: unknown, code: string): error is LatchkeyError =>
  error instanceof LatchkeyError && error.code === code

/** The sign-in is too old for this action: the user must enter the password or sign in again. */
export const isReauthenticationRequired = (error: unknown): boolean => hasErrorCode(error, 'REAUTHENTICATION_REQUIRED')

const { refusals, failed } = security.passkeys

/** The error of a form, with a button to sign in again if that helps. */
export function FormError({ error }: { error: unknown }) {
  const { profile } = useMe()
  if (error instanceof PasskeyError) {
    return (
      <Alert color="red" icon={<Icon name="warning" />} role="alert">
        {refusals[error.reason] ?? failed}
      </Alert>
    )
  }
  if (!isReauthenticationRequired(error)) return <ErrorAlert error={error} />
  const { pathname, search } = window.location
  return (
    <Stack gap="xs" align="stretch">
      <ErrorAlert error={error} />
      <Button
        variant="light"
        onClick={() => void signIn(pathname + search, { forceLogin: true, loginHint: profile.email })}
      >
        {account.signInAgain}
      </Button>
    </Stack>
  )
}
