import { Textarea } from '@mantine/core'
import { lists as text } from '../text/lists.ts'
import type { FieldErrors } from './form-dialog.tsx'

/** The entries of a text with one on each line. */
export const toLines = (typed: string): string[] =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** What was said of a list and of its entries, each by its place. */
export function listErrorOf(
  fields: FieldErrors,
  name: string,
  say: (index: number, message: string) => string,
): string | undefined {
  const told = Object.entries(fields).flatMap(([field, message]) => {
    if (field === name) return [message]
    const [list, index] = field.split('.')
    return list === name && index !== undefined ? [say(Number(index), message)] : []
  })
  return told.length > 0 ? told.join(' · ') : undefined
}

interface LinesInputProps {
  label: string
  description: string
  /** How the API calls it. */
  name: string
  value: string
  onChange: (typed: string) => void
  fields: FieldErrors
  placeholder?: string
  required?: boolean
}

/** Several values, one on each line. */
export const LinesInput = ({ name, fields, onChange, description, ...rest }: LinesInputProps) => (
  <Textarea
    {...rest}
    description={`${description} ${text.perLine}`}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={listErrorOf(fields, name, (index, message) => text.line(index + 1, message))}
    autosize
    minRows={1}
    maxRows={6}
    spellCheck={false}
    autoCapitalize="off"
    autoComplete="off"
    styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
  />
)
