import { defaultLibrary, LIBRARIES, sendsNonce } from '../../../../text/libraries/libraries.ts'
import type { Kind, Library } from '../../../../text/libraries/library.ts'
import { homeOf, pathOf } from '../../../../text/snippets/values.ts'
import { toLines } from '../../../../ui/lines-input.tsx'
import { type Client, type ClientDraft, defaultScopes, toOrigins } from './client-draft.ts'

const isWeb = (uri: string) => /^https?:/.test(uri)

type Addresses = Pick<ClientDraft, 'redirectUris' | 'postLogoutRedirectUris' | 'allowedOrigins'>

/** The usual addresses of a library during development. */
export function suggestAddresses({ kind, native, redirectUris }: Library): Addresses {
  const uris = toLines(redirectUris)
  const [first = ''] = uris
  return {
    redirectUris,
    postLogoutRedirectUris: native || !isWeb(first) ? '' : homeOf(first),
    allowedOrigins: kind === 'SPA' && !native ? toOrigins(uris).join('\n') : '',
  }
}

/** The settings of a library for a draft. Addresses that a person has typed are kept. */
export function applyLibrary(draft: ClientDraft, previous: Library | undefined, next: Library): Partial<ClientDraft> {
  const before = previous ?? defaultLibrary(draft.kind)
  const replaced = before && suggestAddresses(before)
  const changes: Partial<ClientDraft> = { libraryId: next.id, kind: next.kind }
  if (next.kind !== draft.kind) changes.scopes = next.protectsApi ? [] : defaultScopes(next.kind)
  for (const [name, suggested] of Object.entries(suggestAddresses(next)) as [keyof Addresses, string][]) {
    const isTyped = draft[name] !== '' && draft[name] !== replaced?.[name]
    if (!isTyped || next.kind === 'MACHINE') changes[name] = suggested
  }
  changes.requireNonce = sendsNonce(next) || next.nonce === 'none'
  return changes
}

/** Whether a client of this kind can use the library. */
export const fitsKind = (library: Library, kind: Kind): boolean => library.protectsApi === true || library.kind === kind

/** The library of an existing client, if its redirect path belongs to only one. Otherwise the default of its kind. */
export function guessLibrary({ kind, redirectUris }: Client): Library | undefined {
  const paths = redirectUris.map(pathOf)
  const candidates = LIBRARIES.filter(
    (library) => library.kind === kind && toLines(library.redirectUris).some((uri) => paths.includes(pathOf(uri))),
  )
  return candidates.length === 1 ? candidates[0] : defaultLibrary(kind)
}

/** The redirect URI of a client for a library, and whether the client allows it. */
export function redirectUriFor(library: Library, registered: string[]): { uri: string; isRegistered: boolean } {
  const [suggested = ''] = toLines(library.redirectUris)
  const [first] = registered
  if (suggested === '' || first === undefined) return { uri: first ?? '', isRegistered: true }
  const isSameForm = (uri: string) => isWeb(uri) === isWeb(suggested)
  const match =
    registered.find((uri) => isSameForm(uri) && pathOf(uri) === pathOf(suggested)) ??
    (library.fixedPath ? undefined : registered.find(isSameForm))
  if (match !== undefined) return { uri: match, isRegistered: true }
  const uri = isWeb(first) && isWeb(suggested) ? new URL(pathOf(suggested), first).href : suggested
  return { uri, isRegistered: false }
}
