import type { Reply } from '@latchkey/client'
import type { Snippet, SnippetValues } from '../snippets/values.ts'

export type Kind = Reply<'GET /api/admin/clients'>['clients'][number]['kind']

/** What a library or tool needs from a client. */
export interface Library {
  id: string
  name: string
  /** Who sends the authorization requests, if it is not the library itself. */
  sender?: string
  group: 'Browser' | 'Node.js' | 'Python' | 'Other languages' | 'Mobile' | 'Ready-made software' | 'APIs' | 'Machines'
  /** Other words by which people search for it. */
  keywords: string
  kind: Kind
  /**
   * Whether it sends a nonce. `always`: without further settings. `configured`: only with a setting, which the snippet
   * contains. `never`: it cannot. `none`: it makes no authorization requests.
   */
  nonce: 'always' | 'configured' | 'never' | 'none'
  /** The usual redirect URIs during development, one per line. */
  redirectUris: string
  /** Its redirect path cannot be changed, or only with effort. */
  fixedPath?: true
  /** It receives the code outside a web page and needs no CORS. */
  native?: true
  /** It verifies the access tokens of every kind of client. */
  protectsApi?: true
  snippet: (values: SnippetValues) => Snippet
}
