import { TagsInput } from '@mantine/core'
import { clients as text } from '../../../../text/clients.ts'
import { lists } from '../../../../text/lists.ts'
import { listErrorOf } from '../../../../ui/lines-input.tsx'
import type { DraftFields } from './address-fields.tsx'
import { MACHINE_SCOPES, PERSONAL_SCOPES } from './client-draft.ts'

/** The scopes that a client may request. */
export const ScopesInput = ({ draft, change, fieldErrors }: DraftFields) => (
  <TagsInput
    label={text.scopes}
    description={draft.kind === 'MACHINE' ? text.machineScopesText : text.scopesText}
    data={draft.kind === 'MACHINE' ? MACHINE_SCOPES : PERSONAL_SCOPES}
    value={draft.scopes}
    onChange={(scopes) => change({ scopes })}
    error={listErrorOf(fieldErrors, 'scopes', (index, message) => lists.entry(draft.scopes[index] ?? '', message))}
    splitChars={[' ', ',']}
    acceptValueOnBlur
  />
)
