import { Text } from '@mantine/core'
import { guide } from '../../../../text/guide.ts'
import { findLibrary } from '../../../../text/libraries/libraries.ts'
import type { Library } from '../../../../text/libraries/library.ts'
import type { DraftFields } from './address-fields.tsx'
import { applyLibrary } from './library-choice.ts'
import { LibrarySelect } from './library-select.tsx'

const text = guide.library

/** Chooses the library of a new client, and says what the choice has set. */
export function LibraryField({ draft, change }: Pick<DraftFields, 'draft' | 'change'>) {
  const library = findLibrary(draft.libraryId)
  const choose = (id: string | null) => {
    const next = findLibrary(id)
    change(next ? applyLibrary(draft, library, next) : { libraryId: null, requireNonce: true })
  }
  return (
    <div>
      <LibrarySelect value={draft.libraryId} onChange={choose} description={text.description} clearable />
      {/* The height of two lines avoids a layout shift. */}
      <Text size="sm" mt={6} mih={44} aria-live="polite">
        {library && describe(library)}
      </Text>
    </div>
  )
}

const describe = (library: Library): string =>
  [library.protectsApi && text.apiOf(library), text.nonce[library.nonce](library)].filter(Boolean).join(' ')
