import type { Client } from './client-draft.ts'

export interface Connection {
  client: Client
  /** Known only right after the client was created. */
  clientSecret?: string
  /** The library that was chosen when the client was created. */
  libraryId?: string | null
}
