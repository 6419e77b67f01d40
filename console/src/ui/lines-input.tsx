import { Textarea } from '@mantine/core'
import { lists as text } from '../text/lists.ts'
import type { FieldErrors } from './use-submit.ts'

/** Splits a text into its non-empty lines. */
export const toLines = (typed: string): string[] =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The errors of a list field and of its entries (`name.0`, `name.1`, …). */
export function listErrorOf(
  fieldErrors: FieldErrors,
  name: string,
  describeEntry: (index: number, message: string) => string,
): string | undefined {
  const messages = Object.entries(fieldErrors).flatMap(([field, message]) => {
    if (field === name) return [message]
    const [list, index] = field.split('.')
    return list === name && index !== undefined ? [describeEntry(Number(index), message)] : []
  })
  return messages.length > 0 ? messages.join(' · ') : undefined
}

interface LinesInputProps {
  label: string
  description: string
  /** The field name in the API. */
  name: string
  value: string
  onChange: (typed: string) => void
  fieldErrors: FieldErrors
  placeholder?: string
  required?: boolean
}

/** A text area with one value per line. */
export const LinesInput = ({ name, fieldErrors, onChange, description, ...rest }: LinesInputProps) => (
  <Textarea
    {...rest}
    description={`${description} ${text.perLine}`}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={listErrorOf(fieldErrors, name, (index, message) => text.line(index + 1, message))}
    autosize
    minRows={1}
    maxRows={6}
    spellCheck={false}
    autoCapitalize="off"
    autoComplete="off"
    styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
  />
)
