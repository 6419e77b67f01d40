import type { ComponentChildren } from 'preact'

/** The name of the hidden field in every form. */
export const CSRF_FIELD = 'csrf'

/** A form with a CSRF token. */
export const Form = ({ action, csrf, children }: { action: string; csrf: string; children: ComponentChildren }) => (
  <form method="post" action={action}>
    <input type="hidden" name={CSRF_FIELD} value={csrf} />
    {children}
  </form>
)

/** The error message of a form. Invalid fields refer to it with `describedBy`. */
export const Problem = ({ message }: { message: string | undefined }) =>
  message === undefined ? null : (
    <p id="problem" role="alert">
      {message}
    </p>
  )

interface FieldProps {
  label: string
  name: string
  type: 'email' | 'password' | 'text' | 'code' | 'date' | 'url'
  autocomplete: string
  optional?: boolean
  /** A line below the field. */
  hint?: string
  value?: string | undefined
  focus?: boolean
  /** The id of the element with the error message. */
  describedBy?: string | undefined
}

export const Field = ({
  label,
  name,
  type,
  autocomplete,
  value,
  optional = false,
  hint,
  focus = false,
  describedBy,
}: FieldProps) => {
  const hintId = hint === undefined ? undefined : `${name}-hint`
  const described = [describedBy, hintId].filter(Boolean).join(' ')
  const attributes = {
    id: name,
    name,
    autocomplete,
    value,
    required: !optional,
    autofocus: focus,
    ...(described && { 'aria-describedby': described }),
    ...(describedBy && { 'aria-invalid': true as const }),
  }
  return (
    <p class="field">
      <label for={name}>
        {label}
        {optional && <span class="quiet"> (optional)</span>}
      </label>
      {type === 'email' && <input type="email" autocapitalize="none" spellcheck={false} {...attributes} />}
      {type === 'password' && <input type="password" {...attributes} />}
      {type === 'text' && <input type="text" {...attributes} />}
      {type === 'date' && <input type="date" {...attributes} />}
      {type === 'url' && <input type="url" {...attributes} />}
      {type === 'code' && <input type="text" class="code" autocapitalize="none" spellcheck={false} {...attributes} />}
      {hint !== undefined && (
        <span id={hintId} class="hint">
          {hint}
        </span>
      )}
    </p>
  )
}
