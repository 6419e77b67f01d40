import { Select, Switch, Textarea, TextInput } from '@mantine/core'
import { clients as text } from '../../../../text/clients.ts'
import type { DraftFields } from './address-fields.tsx'
import type { Client } from './client-draft.ts'

const METHODS = ['client_secret', 'private_key_jwt'] as const

/** How a client with a server authenticates. */
export const AuthenticationFields = ({ draft, change, fieldErrors }: DraftFields) => (
  <>
    <Select
      label={text.authMethod}
      description={text.authMethodText}
      data={METHODS.map((method) => ({ value: method, label: text.authMethods[method] }))}
      value={draft.tokenEndpointAuthMethod}
      onChange={(method) =>
        method !== null && change({ tokenEndpointAuthMethod: method as Client['tokenEndpointAuthMethod'] })
      }
      error={fieldErrors.tokenEndpointAuthMethod}
      allowDeselect={false}
    />
    {draft.tokenEndpointAuthMethod === 'private_key_jwt' && (
      <KeyFields draft={draft} change={change} fieldErrors={fieldErrors} />
    )}
  </>
)

/** Whether the client must sign its requests, and with which keys if it does not authenticate with them. */
export const SigningFields = ({ draft, change, fieldErrors }: DraftFields) => (
  <>
    <Switch
      label={text.requireSignedRequests}
      description={text.requireSignedRequestsText}
      checked={draft.requireSignedRequests}
      onChange={(event) => change({ requireSignedRequests: event.currentTarget.checked })}
    />
    {draft.requireSignedRequests && !(draft.kind === 'WEB' && draft.tokenEndpointAuthMethod === 'private_key_jwt') && (
      <KeyFields draft={draft} change={change} fieldErrors={fieldErrors} />
    )}
  </>
)

const KeyFields = ({ draft, change, fieldErrors }: DraftFields) => (
  <>
    <Textarea
      label={text.jwks}
      description={text.jwksText}
      value={draft.jwks}
      onChange={(event) => change({ jwks: event.currentTarget.value })}
      error={keyErrorOf(fieldErrors)}
      autosize
      minRows={3}
      maxRows={10}
      spellCheck={false}
    />
    <TextInput
      label={text.jwksUri}
      description={text.jwksUriText}
      value={draft.jwksUri}
      onChange={(event) => change({ jwksUri: event.currentTarget.value })}
      error={fieldErrors.jwksUri}
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
    />
  </>
)

/** The errors of the key set and of each key in it. */
function keyErrorOf(fieldErrors: DraftFields['fieldErrors']): string | undefined {
  const messages = Object.entries(fieldErrors)
    .filter(([field]) => field === 'jwks' || field.startsWith('jwks.'))
    .map(([field, message]) => `${field} ${message}`)
  return messages.length > 0 ? messages.join(' · ') : undefined
}
