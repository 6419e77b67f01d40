import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useMe } from '../../me.tsx'
import { account } from '../../text/account.ts'
import { shell } from '../../text/shell.ts'
import { type FieldErrors, useForm } from '../../ui/form-dialog.tsx'
import { PasswordField } from './password-field.tsx'
import { isRefusedFor, isTooOld, Refusal } from './refusal.tsx'

export interface ConfirmedFormProps {
  /** What will happen. */
  text?: ReactNode
  /** What the button says: the deed. */
  action: string
  hurts?: boolean
  /** Whether the password is always asked for, or only where the sign-in is too old, or never. */
  asks: 'always' | 'when-old' | 'never'
  passwordLabel?: string
  /** Which field a refusal is about, by its code. */
  fieldOf?: Record<string, string>
  disabled?: boolean
  /** Throws where it is refused. What comes afterwards is its own matter, closing too. */
  submit: (password: string | undefined) => Promise<unknown>
  onCancel: () => void
  /** The fields before the password, with what was said of them. */
  before?: (fields: FieldErrors) => ReactNode
  after?: (fields: FieldErrors) => ReactNode
  /** More about why it was refused. */
  explain?: (error: unknown) => ReactNode
}

const PASSWORD_IS_WRONG = { CURRENT_PASSWORD_INCORRECT: 'password' }

/** A deed that takes a proof of who one is. People without a password must have signed in just now. */
export function ConfirmedForm({
  asks,
  submit,
  onCancel,
  hurts = false,
  fieldOf = {},
  ...props
}: ConfirmedFormProps) {
  const { access } = useMe()
  const [password, setPassword] = useState('')
  const [isOld, setOld] = useState(false)
  const asksNow = access.hasPassword && (asks === 'always' || isOld)
  const form = useForm(async () => {
    try {
      await submit(asksNow ? password : undefined)
    } catch (error) {
      if (asks !== 'never' && isTooOld(error)) setOld(true)
      throw error
    }
  })
  const fields = { ...form.fields, ...told(form.error, { ...PASSWORD_IS_WRONG, ...fieldOf }) }
  const isGeneral = form.error !== undefined && Object.keys(fields).length === 0
  return (
    <form onSubmit={form.onSubmit}>
      <Stack>
        {props.text !== undefined && (
          <Text size="sm" component="div">
            {props.text}
          </Text>
        )}
        {isGeneral && <Refusal error={form.error} />}
        {isGeneral && props.explain?.(form.error)}
        {props.before?.(fields)}
        {asksNow && (
          <PasswordField
            label={props.passwordLabel ?? account.password}
            kind="current-password"
            value={password}
            onChange={setPassword}
            error={fields.password}
            autoFocus={props.before === undefined}
            isAsked={isOld}
          />
        )}
        {props.after?.(fields)}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {shell.cancel}
          </Button>
          <Button
            type="submit"
            loading={form.busy}
            disabled={props.disabled ?? false}
            {...(hurts && { color: 'red' })}
          >
            {props.action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const told = (error: unknown, fieldOf: Record<string, string>): FieldErrors =>
  Object.fromEntries(
    Object.entries(fieldOf).flatMap(([code, field]) =>
      isRefusedFor(error, code) ? [[field, error.message]] : [],
    ),
  )

/** The same in a dialog. */
export const ConfirmedDialog = ({
  title,
  opened,
  ...form
}: ConfirmedFormProps & { title: string; opened: boolean }) => (
  <Modal
    opened={opened}
    onClose={form.onCancel}
    title={title}
    closeButtonProps={{ 'aria-label': shell.close }}
  >
    <ConfirmedForm {...form} />
  </Modal>
)
