import type { ComponentChildren } from 'preact'

/** The field that every form of ours carries. */
export const CSRF_FIELD = 'csrf'

/** A form of ours: the token in it shows that we made it for this browser. */
export const Form = ({
  action,
  csrf,
  children,
}: {
  action: string
  csrf: string
  children: ComponentChildren
}) => (
  <form method="post" action={action}>
    <input type="hidden" name={CSRF_FIELD} value={csrf} />
    {children}
  </form>
)

interface FieldProps {
  label: string
  name: string
  type: 'email' | 'password' | 'text'
  autocomplete: string
  value?: string | undefined
  focus?: boolean
  /** Names the element that says what is wrong with it. */
  describedBy?: string | undefined
}

export const Field = ({ label, name, type, autocomplete, value, focus = false, describedBy }: FieldProps) => {
  const attributes = {
    ...{ id: name, name, autocomplete, value, required: true, autofocus: focus },
    ...(describedBy && { 'aria-describedby': describedBy, 'aria-invalid': true as const }),
  }
  return (
    <p class="field">
      <label for={name}>{label}</label>
      {type === 'email' && <input type="email" autocapitalize="none" spellcheck={false} {...attributes} />}
      {type === 'password' && <input type="password" {...attributes} />}
      {type === 'text' && <input type="text" {...attributes} />}
    </p>
  )
}
