import { Switch } from '@mantine/core'
import { clients as text } from '../../../../text/clients.ts'
import { guide } from '../../../../text/guide.ts'
import { findLibrary, sendsNonce } from '../../../../text/libraries/libraries.ts'
import type { DraftFields } from './address-fields.tsx'

/** Whether requests must have a nonce, with the reason if the library has decided it. */
export function NonceSwitch({ draft, change }: Pick<DraftFields, 'draft' | 'change'>) {
  const library = findLibrary(draft.libraryId)
  const isAsDecided = library !== undefined && sendsNonce(library) === draft.requireNonce
  return (
    <Switch
      label={text.requireNonce}
      description={(isAsDecided && guide.library.nonce[library.nonce](library)) || text.requireNonceText}
      checked={draft.requireNonce}
      onChange={(event) => change({ requireNonce: event.currentTarget.checked })}
    />
  )
}
