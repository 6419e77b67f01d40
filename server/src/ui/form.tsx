import type { ComponentChildren } from 'preact'
import { t } from '../languages/translate.ts'
import { formScript } from './scripts.ts'

/** The name of the hidden field in every form. */
export const CSRF_FIELD = 'csrf'

interface FormProps {
  action: string
  csrf: string
  /** The script of waiting pages sends the form at once. */
  continues?: boolean
  children: ComponentChildren
}

/** A form with a CSRF token. */
export const Form = ({ action, csrf, continues = false, children }: FormProps) => (
  <form method="post" action={action} {...(continues && { 'data-continue': true })}>
    <input type="hidden" name={CSRF_FIELD} value={csrf} />
    {children}
    <FormScript />
  </form>
)

export const FormScript = () => <script type="module" src={formScript.path} />

/** Around a password field: the script adds a button that shows what was typed. */
export const Password = ({ children }: { children: ComponentChildren }) => (
  <span class="password" data-reveal={t('Show password')}>
    {children}
  </span>
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
  /** `digits`: a code of six digits. */
  type: 'email' | 'password' | 'text' | 'code' | 'digits' | 'date' | 'url'
  autocomplete: string
  optional?: boolean
  /** A line below the field. */
  hint?: string
  value?: string | undefined
  /** By default the first wrong field has the focus. */
  focus?: boolean
  /** The id of the element with the error message. */
  describedBy?: string | undefined
}

/** Apps show the digits in two groups, and people copy the space too. */
const SIX_DIGITS = '\\s*[0-9]{3}\\s?[0-9]{3}\\s*'

export const Field = ({
  label,
  name,
  type,
  autocomplete,
  value,
  optional = false,
  hint,
  describedBy,
  // Browsers focus the first of several such fields.
  focus = describedBy !== undefined,
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
        {optional && <span class="quiet"> {t('(optional)')}</span>}
      </label>
      {type === 'email' && <input type="email" autocapitalize="none" spellcheck={false} {...attributes} />}
      {type === 'password' && (
        <Password>
          <input type="password" {...attributes} />
        </Password>
      )}
      {type === 'text' && <input type="text" {...attributes} />}
      {type === 'date' && <input type="date" {...attributes} />}
      {type === 'url' && <input type="url" {...attributes} />}
      {type === 'code' && <input type="text" class="code" autocapitalize="none" spellcheck={false} {...attributes} />}
      {type === 'digits' && (
        <input type="text" class="code digits" inputmode="numeric" pattern={SIX_DIGITS} maxLength={9} {...attributes} />
      )}
      {hint !== undefined && (
        <span id={hintId} class="hint">
          {hint}
        </span>
      )}
    </p>
  )
}
