import { PasswordInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { account } from '../../text/account.ts'

interface PasswordFieldProps {
  label: string
  value: string
  onChange: (password: string) => void
  /** The autocomplete type for password managers. */
  kind: 'current-password' | 'new-password'
  hint?: string | undefined
  error?: string | undefined
  autoFocus?: boolean
  /** Moves the focus to the field. */
  takesFocus?: boolean
}

/** A password field with a visibility toggle. */
export function PasswordField({
  label,
  value,
  onChange,
  kind,
  hint,
  error,
  autoFocus = false,
  takesFocus = false,
}: PasswordFieldProps) {
  const [visible, setVisible] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (takesFocus) field.current?.focus()
  }, [takesFocus])
  return (
    <PasswordInput
      ref={field}
      label={label}
      description={hint}
      error={error}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      visible={visible}
      onVisibilityChange={setVisible}
      visibilityToggleButtonProps={{
        'aria-label': visible ? account.hidePassword : account.showPassword,
        tabIndex: 0,
      }}
      autoComplete={kind}
      required
      withAsterisk={false}
      {...(autoFocus && { 'data-autofocus': true })}
    />
  )
}
