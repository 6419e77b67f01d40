import { PasswordInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { account } from '../../text/account.ts'

interface PasswordFieldProps {
  label: string
  value: string
  onChange: (password: string) => void
  /** Whether it is the one there is or one to come: password managers help accordingly. */
  kind: 'current-password' | 'new-password'
  hint?: string | undefined
  error?: string | undefined
  autoFocus?: boolean
  /** It has just been asked for. */
  isAsked?: boolean
}

/** A password, which can be looked at while it is typed. */
export function PasswordField({
  label,
  value,
  onChange,
  kind,
  hint,
  error,
  autoFocus = false,
  isAsked = false,
}: PasswordFieldProps) {
  const [visible, setVisible] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isAsked) field.current?.focus()
  }, [isAsked])
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
