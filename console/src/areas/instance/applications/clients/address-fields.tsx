import { clients as text } from '../../../../text/clients.ts'
import { LinesInput } from '../../../../ui/lines-input.tsx'
import type { FieldErrors } from '../../../../ui/use-submit.ts'
import type { ClientDraft } from './client-draft.ts'

export interface DraftFields {
  draft: ClientDraft
  change: (changes: Partial<ClientDraft>) => void
  fieldErrors: FieldErrors
}

const NAMES = ['redirectUris', 'postLogoutRedirectUris', 'allowedOrigins'] as const

/** Redirect URIs, post-logout redirect URIs and allowed origins. */
export const AddressFields = ({ draft, change, fieldErrors, origins }: DraftFields & { origins: boolean }) =>
  NAMES.filter((name) => origins || name !== 'allowedOrigins').map((name) => (
    <LinesInput
      key={name}
      name={name}
      label={text[name]}
      description={text[`${name}Text`]}
      value={draft[name]}
      onChange={(typed) => change({ [name]: typed })}
      fieldErrors={fieldErrors}
      {...(name === 'redirectUris' && { required: true })}
    />
  ))
