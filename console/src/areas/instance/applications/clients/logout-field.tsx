import { TextInput } from '@mantine/core'
import { clients as text } from '../../../../text/clients.ts'
import type { DraftFields } from './address-fields.tsx'

/** Where the client is told that sessions ended. */
export const LogoutField = ({ draft, change, fieldErrors }: DraftFields) => (
  <TextInput
    label={text.backchannelLogoutUri}
    description={text.backchannelLogoutUriText}
    value={draft.backchannelLogoutUri}
    onChange={(event) => change({ backchannelLogoutUri: event.currentTarget.value })}
    error={fieldErrors.backchannelLogoutUri}
    autoComplete="off"
    autoCapitalize="off"
    spellCheck={false}
  />
)
