import type { Reply } from '@latchkey/client'

export type Resource = Reply<'GET /api/admin/resources/{id}'>

/** What the dialog edits. */
export interface ResourceDraft {
  /** Undefined for a new resource. */
  id: string | undefined
  /** The name before the edit. */
  title: string
  name: string
  uri: string
  scopes: string[]
  allowedClients: string[]
  allowDynamicClients: boolean
}

export const newResourceDraft = (): ResourceDraft => ({
  id: undefined,
  title: '',
  name: '',
  uri: '',
  scopes: [],
  allowedClients: [],
  allowDynamicClients: false,
})

export const toResourceDraft = ({
  id,
  name,
  uri,
  scopes,
  allowedClients,
  allowDynamicClients,
}: Resource): ResourceDraft => ({
  id,
  title: name,
  name,
  uri,
  scopes,
  allowedClients,
  allowDynamicClients,
})
