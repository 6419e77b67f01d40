import { defaultLibrary } from '../../../../text/libraries/libraries.ts'
import { type ClientDraft, defaultScopes, type Kind } from '../clients/client-draft.ts'
import { suggestAddresses } from '../clients/library-choice.ts'

/** The default draft of each kind, without a library. */
export function defaultDraft(kind: Kind): Partial<ClientDraft> {
  const library = defaultLibrary(kind)
  return {
    kind,
    libraryId: null,
    requireNonce: true,
    ...(library && suggestAddresses(library)),
    scopes: defaultScopes(kind),
    tenantId: undefined,
  }
}
