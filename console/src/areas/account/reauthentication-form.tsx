import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useMe } from '../../me.tsx'
import { account } from '../../text/account.ts'
import { shell } from '../../text/shell.ts'
import { type FieldErrors, useSubmit } from '../../ui/use-submit.ts'
import { FormError, hasErrorCode, isReauthenticationRequired } from './form-error.tsx'
import { PasswordField } from './password-field.tsx'

export interface ReauthenticationFormProps {
  /** The consequences of the action. */
  text?: ReactNode
  /** The label of the submit button. */
  action: string
  isDestructive?: boolean
  /** When the password is required. `when-old`: after the service rejects the sign-in as too old. */
  passwordPrompt: 'always' | 'when-old' | 'never'
  passwordLabel?: string
  /** Maps an error code to a field. */
  fieldOf?: Record<string, string>
  disabled?: boolean
  /** Throws if the service rejects it. On success, it closes the form itself. */
  submit: (password: string | undefined) => Promise<unknown>
  onCancel: () => void
  /** Fields above the password. */
  before?: (fieldErrors: FieldErrors) => ReactNode
  after?: (fieldErrors: FieldErrors) => ReactNode
  /** Additional explanation of an error. */
  explain?: (error: unknown) => ReactNode
}

const FIELD_OF_CODE = { CURRENT_PASSWORD_INCORRECT: 'password' }

/** A form that requires reauthentication: by password, or for users without one by a recent sign-in. */
export function ReauthenticationForm({
  passwordPrompt,
  submit,
  onCancel,
  isDestructive = false,
  fieldOf = {},
  ...props
}: ReauthenticationFormProps) {
  const { access } = useMe()
  const [password, setPassword] = useState('')
  const [isOld, setOld] = useState(false)
  const requiresPassword = access.hasPassword && (passwordPrompt === 'always' || isOld)
  const form = useSubmit(async () => {
    try {
      await submit(requiresPassword ? password : undefined)
    } catch (error) {
      if (passwordPrompt !== 'never' && isReauthenticationRequired(error)) setOld(true)
      throw error
    }
  })
  const fieldErrors = { ...form.fieldErrors, ...toFieldErrors(form.error, { ...FIELD_OF_CODE, ...fieldOf }) }
  const isGeneralError = form.error !== undefined && Object.keys(fieldErrors).length === 0
  return (
    <form onSubmit={form.onSubmit}>
      <Stack>
        {props.text !== undefined && (
          <Text size="sm" component="div">
            {props.text}
          </Text>
        )}
        {isGeneralError && <FormError error={form.error} />}
        {isGeneralError && props.explain?.(form.error)}
        {props.before?.(fieldErrors)}
        {requiresPassword && (
          <PasswordField
            label={props.passwordLabel ?? account.password}
            kind="current-password"
            value={password}
            onChange={setPassword}
            error={fieldErrors.password}
            autoFocus={props.before === undefined}
            takesFocus={isOld}
          />
        )}
        {props.after?.(fieldErrors)}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {shell.cancel}
          </Button>
          <Button
            type="submit"
            loading={form.busy}
            disabled={props.disabled ?? false}
            {...(isDestructive && { color: 'red' })}
          >
            {props.action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const toFieldErrors = (error: unknown, fieldOf: Record<string, string>): FieldErrors =>
  Object.fromEntries(
    Object.entries(fieldOf).flatMap(([code, field]) => (hasErrorCode(error, code) ? [[field, error.message]] : [])),
  )

/** `ReauthenticationForm` in a dialog. */
export const ReauthenticationDialog = ({
  title,
  opened,
  ...form
}: ReauthenticationFormProps & { title: string; opened: boolean }) => (
  <Modal opened={opened} onClose={form.onCancel} title={title} closeButtonProps={{ 'aria-label': shell.close }}>
    <ReauthenticationForm {...form} />
  </Modal>
)
