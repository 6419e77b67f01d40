import { clients as text } from '../../../../text/clients.ts'
import type { FieldErrors } from '../../../../ui/form-dialog.tsx'
import { LinesInput } from '../../../../ui/lines-input.tsx'
import type { ClientDraft } from './client-draft.ts'

export interface DraftFields {
  draft: ClientDraft
  change: (part: Partial<ClientDraft>) => void
  /** What was refused. */
  fields: FieldErrors
}

const NAMES = ['redirectUris', 'postLogoutRedirectUris', 'allowedOrigins'] as const

/** Where people are sent, and from where pages may ask. */
export const AddressFields = ({ draft, change, fields, origins }: DraftFields & { origins: boolean }) =>
  NAMES.filter((name) => origins || name !== 'allowedOrigins').map((name) => (
    <LinesInput
      key={name}
      name={name}
      label={text[name]}
      description={text[`${name}Text`]}
      value={draft[name]}
      onChange={(typed) => change({ [name]: typed })}
      fields={fields}
      {...(name === 'redirectUris' && { required: true })}
    />
  ))
