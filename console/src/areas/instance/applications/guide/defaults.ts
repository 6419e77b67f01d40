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
    scopes: kind === 'MACHINE' ? defaultMachineScopes(null) : defaultScopes(kind),
    tenantId: null,
  }
}

/** The default scopes of a machine client of a tenant or of the instance. */
export const defaultMachineScopes = (tenantId: string | null): string[] =>
  tenantId === null ? ['admin'] : ['licenses:read']
